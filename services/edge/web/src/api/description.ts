// The API description and the dictionary, and their members that the pages show.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useLanguage } from "../shell/language";
import { request } from "./client";
import type { DictionaryAnswer } from "./types";

export interface Media {
  schema?: object;
  examples?: Record<string, { value: unknown }>;
}

export interface Parameter {
  name: string;
  in: "query" | "path" | "header";
  required?: boolean;
  description?: string;
  schema: object;
}

export interface Answer {
  description?: string;
  headers?: Record<string, { description?: string } | undefined>;
  content?: Record<string, Media | undefined>;
}

export interface Operation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  /** Default billing units of an answer. */
  "x-billing-units"?: number;
  "x-billing-units-per-line"?: number;
  requestBody?: { content?: Record<string, Media | undefined> };
  responses?: Record<string, Answer | undefined>;
}

export interface Description {
  info?: { title: string; description?: string };
  components?: { schemas?: Record<string, object> };
  paths?: Record<string, Record<string, Operation | undefined> | undefined>;
}

export const CONSUMER_DESCRIPTION = "/api/v1/openapi-public.json";
export const FULL_DESCRIPTION = "/api/v1/openapi.json";

/** The description of the consumer endpoints, or the one at another address. */
export function useDescription(address: string = CONSUMER_DESCRIPTION): UseQueryResult<Description> {
  const { language } = useLanguage();
  return useQuery({
    queryKey: ["description", address, language],
    queryFn: async ({ signal }) => withValues(await request<Description>(address, { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The description with the values of each enumeration where it is used, and without members that are ignored. */
function withValues(description: Description): Description {
  const schemas: Record<string, { enum?: unknown; description?: unknown }> = description.components?.schemas ?? {};
  const values = new Map(
    Object.entries(schemas)
      .filter(([, schema]) => schema.enum !== undefined)
      .map(([name, { description: _, ...schema }]) => [`#/components/schemas/${name}`, schema]),
  );
  const replaced = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(replaced);
    if (typeof part !== "object" || part === null) return part;
    const entries = Object.entries(part).filter(
      ([, inner]: [string, { "x-ignored"?: true } | null]) => !inner?.["x-ignored"],
    );
    const { $ref, ...others } = Object.fromEntries(entries.map(([name, inner]) => [name, replaced(inner)]));
    const schema = typeof $ref === "string" ? values.get($ref) : undefined;
    return schema ? { ...schema, ...others } : { ...($ref === undefined ? {} : { $ref }), ...others };
  };
  return replaced(description) as Description;
}

/** The meaning of every field, value and parameter, in the language of the page. */
export function useDictionary(): UseQueryResult<DictionaryAnswer> {
  const { language } = useLanguage();
  return useQuery({
    queryKey: ["dictionary", language],
    queryFn: ({ signal }) => request<DictionaryAnswer>("/api/v1/dictionary", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** An example request of a POST operation, with its answer. */
export function exampleOf(
  description: Description | undefined,
  path: string,
  name: string,
): { request: unknown; answer: unknown } | null {
  const operation = description?.paths?.[path]?.post;
  const request = operation?.requestBody?.content?.["application/json"]?.examples?.[name]?.value;
  const answer = operation?.responses?.["200"]?.content?.["application/json"]?.examples?.[name]?.value;
  return request === undefined || answer === undefined ? null : { request, answer };
}

/** The default billing units of the endpoints, by path; of a file, those of a line. */
export function unitsOf(description: Description | undefined): [path: string, units: number][] {
  return Object.entries(description?.paths ?? {}).flatMap(([path, methods]) =>
    Object.values(methods ?? {}).map((operation): [string, number] => [
      path,
      operation?.["x-billing-units-per-line"] ?? operation?.["x-billing-units"] ?? 0,
    ]),
  );
}

/** Every problem of the operations, sorted by status and code. */
export function problemsOf(description: Description | undefined): { status: string; codes: string[] }[] {
  const found = new Map<string, Set<string>>();
  for (const path of Object.values(description?.paths ?? {})) {
    for (const operation of Object.values(path ?? {})) {
      for (const [status, response] of Object.entries(operation?.responses ?? {})) {
        const examples = response?.content?.["application/problem+json"]?.examples ?? {};
        const codes = found.get(status) ?? new Set();
        for (const { value } of Object.values(examples)) codes.add(String((value as { code?: unknown }).code));
        if (codes.size > 0) found.set(status, codes);
      }
    }
  }
  return [...found]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([status, codes]) => ({ status, codes: [...codes] }));
}
