// The body of a request, which is JSON as a text.

export type JsonObject = Record<string, unknown>;

export function writeBody(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object with one member set. An empty value removes the member. */
export function withMember(object: JsonObject, name: string, value: unknown): JsonObject {
  if (!isEmpty(value)) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
