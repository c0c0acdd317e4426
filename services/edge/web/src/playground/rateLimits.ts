// The RateLimit headers (draft-ietf-httpapi-ratelimit-headers): `"minute";q=600;w=60` and `"minute";r=599;t=60`.
export interface RateLimit {
  policy: string;
  quota: number;
  remaining: number;
  resetS: number;
}

export function rateLimits(policies: string | undefined, limits: string | undefined): RateLimit[] {
  const quotas = new Map(items(policies).map(({ name, of }) => [name, of("q")]));
  return items(limits).flatMap(({ name, of }) => {
    const quota = quotas.get(name);
    const remaining = of("r");
    const resetS = of("t");
    if (quota === undefined || remaining === undefined || resetS === undefined) return [];
    return [{ policy: name, quota, remaining, resetS }];
  });
}

function items(header: string | undefined): { name: string; of: (parameter: string) => number | undefined }[] {
  return (header ?? "").split(",").flatMap((item) => {
    const name = /^\s*"([^"]+)"/.exec(item)?.[1];
    if (name === undefined) return [];
    const of = (parameter: string) => {
      const value = new RegExp(`;\\s*${parameter}=(\\d+)`).exec(item)?.[1];
      return value === undefined ? undefined : Number(value);
    };
    return [{ name, of }];
  });
}
