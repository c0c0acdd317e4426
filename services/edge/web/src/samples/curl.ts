import { ATTEMPTS, type Call, type KeyForm, LONGEST_WAIT_S, PREVIOUS_ANSWER, type Sample } from "./sample";

const OPTIONS: Readonly<Record<Sample["reads"], string>> = {
  json: "",
  events: " --no-buffer",
  "json after retries": ` --retry ${ATTEMPTS - 1} --retry-all-errors --retry-max-time ${LONGEST_WAIT_S}`,
};

export function curl({ calls, reads, key }: Sample): string {
  return calls.map((call) => command(call, OPTIONS[reads], key)).join(" |\n");
}

function command({ url, headers, body }: Call, options: string, key: KeyForm): string {
  const keyHeader = key.kind === "variable" ? '-H "x-api-key: $LP_KEY"' : `-H ${shell(`x-api-key: ${key.key}`)}`;
  return [
    `curl --silent --show-error${options} ${shell(url)}`,
    keyHeader,
    ...Object.entries(headers).map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
    ...(body === null ? [] : [body === PREVIOUS_ANSWER ? "--data-binary @-" : `--data-raw ${shell(body)}`]),
  ].join(" \\\n  ");
}

/** Quotes a text as one word of a POSIX shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
