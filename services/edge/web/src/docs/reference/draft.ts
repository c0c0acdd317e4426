// A request that the reference prepares: its parameters, its body, and the form of the answer.
import type { Parameter } from "../../api/description";
import { parsed } from "../../samples/sample";
import { type Entry, firstExample, limitsOf, type Schema } from "./description";

export interface Draft {
  /** By name; an empty one is not sent. */
  values: Readonly<Record<string, string>>;
  bodyType: string;
  body: string;
  accept: string;
}

export interface PreparedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

const JSON_TYPES = ["application/json", "application/geo+json"];
/** The page sends it in the language that the user chose. */
export const SET_BY_PAGE = "Accept-Language";

/** The request with the first examples. */
export function firstDraft({ operation }: Pick<Entry, "operation">): Draft {
  const [bodyType = "", media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const parameters = operation.parameters ?? [];
  const option = parameters.find((each) => !each.required && exampleOf(each) !== ""); // others may exclude it
  const given = parameters.filter((each) => each.required || each === option);
  return {
    values: Object.fromEntries(given.map((each) => [each.name, exampleOf(each)])),
    bodyType,
    body: firstExample(media),
    accept: answerTypes({ operation })[0] ?? "",
  };
}

/** The media types of the successful answer. */
export function answerTypes({ operation }: Pick<Entry, "operation">): string[] {
  const answer = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2"))?.[1];
  return Object.keys(answer?.content ?? {});
}

export function prepare(
  { method, path, operation }: Omit<Entry, "address" | "tag" | "group">,
  draft: Draft,
): PreparedRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let filled = path;
  for (const { name, in: place } of operation.parameters ?? []) {
    const value = (draft.values[name] ?? "").trim();
    if (value === "" || name === SET_BY_PAGE) continue;
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === "query") query.set(name, value);
    else headers[name.toLowerCase()] = value;
  }
  if (draft.accept !== "" && !JSON_TYPES.includes(draft.accept)) headers.accept = draft.accept;
  const hasBody = draft.bodyType !== "" && draft.body.trim() !== "";
  if (hasBody) headers["content-type"] = draft.bodyType;
  return {
    method,
    path: query.size > 0 ? `${filled}?${query}` : filled,
    headers,
    body: hasBody ? sentBody(draft) : null,
  };
}

/** How a program reads the answer; null if samples cannot. */
export function readingOf({ accept }: Draft): "json" | "events" | null {
  if (accept === "text/event-stream") return "events";
  return accept === "" || JSON_TYPES.includes(accept) ? "json" : null;
}

/** A line of NDJSON is on one line. */
function sentBody({ body, bodyType }: Draft): string {
  if (bodyType !== "application/x-ndjson") return body;
  const line = parsed(body);
  return line === undefined ? body : `${JSON.stringify(line)}\n`; // several lines stay as the user wrote them
}

/** The first example of a parameter. */
function exampleOf({ schema }: Parameter): string {
  const [example] = (schema as Schema).examples ?? limitsOf(schema as Schema).examples ?? [];
  return example === undefined ? "" : String(example);
}
