// The operations and schemas of the API description, in the form that the reference shows.
import type { Description, Media, Operation } from "../../api/description";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  examples?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  "x-unit"?: string;
  /** Of each line, if the value is a text of lines. */
  "x-line"?: Schema;
  /** The meaning of each value. */
  "x-values"?: Record<string, string>;
}

export type Schemas = Readonly<Record<string, Schema | undefined>>;

/** An operation with its place in the reference. */
export interface Entry {
  /** The fragment of its address, such as #/consumer/divideLand. */
  address: string;
  tag: string;
  /** The subject under which it is listed. */
  group: string;
  method: string;
  path: string;
  operation: Operation;
}

const SUBJECTS: Readonly<Record<string, string>> = {
  "land-units": "land",
  parcels: "land",
  tiles: "land",
  statistics: "land",
  watches: "events",
  webhooks: "events",
  ogc: "programs",
  mcp: "programs",
  keys: "account",
  usage: "account",
  coverage: "account",
};

export function entriesOf(description: Description): Entry[] {
  return Object.entries(description.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).flatMap(([method, operation]) => {
      const tag = operation?.tags?.[0];
      if (operation?.operationId === undefined || tag === undefined) return [];
      const address = `#/${tag}/${operation.operationId}`;
      return [{ address, tag, group: groupOf(tag, path), method: method.toUpperCase(), path, operation }];
    }),
  );
}

/** The entries by group, in the order of the description. */
export function grouped(entries: readonly Entry[]): [group: string, entries: Entry[]][] {
  return [...Map.groupBy(entries, ({ group }) => group)];
}

function groupOf(tag: string, path: string): string {
  const [, , , first = "", second = ""] = path.split("/");
  if (tag === "admin") return `admin/${second}`;
  return tag === "consumer" ? (SUBJECTS[first] ?? first) : tag;
}

/** The type as TypeScript writes it, with the names of its objects apart. */
export function typeOf(schema: Schema): { text: string; object: string | null }[] {
  if (schema.$ref) {
    const object = nameOf(schema.$ref);
    return [{ text: object, object }];
  }
  if (schema.anyOf) return joined(schema.anyOf.map(typeOf));
  if (schema.items) return [...typeOf(schema.items), { text: "[]", object: null }];
  const kinds = [schema.type ?? "any"].flat();
  return [{ text: kinds.join(" | "), object: null }];
}

function joined(options: ReturnType<typeof typeOf>[]): ReturnType<typeof typeOf> {
  return options.flatMap((option, index) => (index === 0 ? option : [{ text: " | ", object: null }, ...option]));
}

/** The object that a value is, or contains as an item or an alternative; null if there is none. */
export function objectIn(schema: Schema): string | null {
  if (schema.$ref) return nameOf(schema.$ref);
  const inner = schema.items ?? schema["x-line"];
  if (inner) return objectIn(inner);
  return schema.anyOf?.map(objectIn).find((name) => name !== null) ?? null;
}

/** The schema that states the limits of a value: that of its items, or of the alternative that is not null. */
export function limitsOf(schema: Schema): Schema {
  const inner = schema.items ?? schema.anyOf?.find((each) => each.type !== "null");
  return inner === undefined ? schema : { ...limitsOf(inner), ...schema };
}

export function schemasOf(description: Description): Schemas {
  return (description.components?.schemas ?? {}) as Schemas;
}

/** The entry of an object in the dictionary. The members of a request are listed there as parameters. */
export function dictionaryAddress(object: string, schemas: Schemas): string {
  const isAnswer = schemas[object]?.description !== undefined;
  return `/api/docs/dictionary#${isAnswer ? object : `parameters.${object}`}`;
}

/** The codes of an error answer with their titles, which its description lists as "`code`: title; …". */
export function codesOf(text: string): [code: string, title: string][] {
  return [...text.matchAll(/`(\w+)`: (.*?)(?=; `|$)/g)].map(([, code = "", title = ""]) => [code, title]);
}

/** The first example of each value, as text. */
export function firstExample(media: Media | undefined): string {
  const [first] = Object.values(media?.examples ?? {});
  return first === undefined ? "" : exampleText(first.value);
}

export function exampleText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
