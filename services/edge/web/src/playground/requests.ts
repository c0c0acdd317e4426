// The requests of the playground and their drafts. The body of a draft is text; the form reads and writes it.
import type { Media } from "../api/description";
import type { ResolveAnswer } from "../api/types";
import type { Entry, Schema } from "../docs/reference/description";
import { type Draft, prepare, SET_BY_PAGE } from "../docs/reference/draft";
import { asObject, readBody, writeBody } from "./body";
import { EVENT_STREAM, type SentRequest } from "./exchange";

/** What the pages send, with forms of their own. The reference has a form for every operation. */
export const TASKS = {
  resolve: "/api/v1/addresses/resolve",
  geojson: "/api/v1/land-units/geojson",
  divide: "/api/v1/assistant/divide-land",
  search: "/api/v1/parcels/search",
} as const;
export type Task = keyof typeof TASKS;
export const FILE = "file" as const;

/** What a request needs of an operation. */
export type Call = Pick<Entry, "method" | "path" | "operation">;

/** The body of a call in JSON. */
export function bodyOf({ operation }: Call): Media | undefined {
  return operation.requestBody?.content?.["application/json"];
}

/** The schema of the parameters that a visitor gives. */
export function parametersOf({ operation }: Call): Schema {
  const parameters = (operation.parameters ?? []).filter(({ name }) => name !== SET_BY_PAGE);
  return {
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description = "" }) => [name, { ...schema, description }]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

export type Drafts = Readonly<Record<Task, Draft>>;

const DEMO_LABEL = "1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction";
const DEMO_PARCEL = "00001000AA0001";

export function isTask(name: string): name is Task {
  return name in TASKS;
}

/** The task that an operation is; null if it is none. */
export function taskAt(path: string): Task | null {
  return Object.keys(TASKS).find((task): task is Task => isTask(task) && TASKS[task] === path) ?? null;
}

/** The call of a task. It does not wait for the description, which adds examples and units. */
export function callOf(task: Task, entries: readonly Entry[] = []): Call {
  const entry = entries.find(({ path }) => path === TASKS[task]);
  return entry ?? { method: "POST", path: TASKS[task], operation: {} };
}

export function firstDrafts(): Drafts {
  const draft = (body: unknown, accept = ""): Draft => ({
    values: {},
    bodyType: "application/json",
    body: writeBody(body),
    accept,
  });
  return {
    resolve: draft({ label: DEMO_LABEL }),
    geojson: draft({ parcel_ids: [DEMO_PARCEL] }),
    divide: draft({ parcel_ids: [DEMO_PARCEL] }, EVENT_STREAM),
    search: draft({ neighbours_of: DEMO_PARCEL }),
  };
}

export function requestOf(name: Task, call: Call, draft: Draft, language: string): SentRequest {
  return { name, language, ...prepare(call, draft) };
}

/** A body for the other endpoints from a resolved address: its parcels, and the address to echo. */
export function bodyOfResolved({ address, parcel_ids: parcelIds }: ResolveAnswer): string {
  const { label, number, street, postcode, city, city_code } = address;
  const known = Object.entries({ label, number, street, postcode, city, city_code }).filter(
    ([, value]) => value !== null,
  );
  return writeBody({ address: Object.fromEntries(known), parcel_ids: parcelIds });
}

/** Whether the body names parcels. */
export function takesParcels(name: string): boolean {
  return name === "geojson" || name === "divide";
}

/** The parcels that a body names; none if it cannot be read. */
export function parcelsOf(text: string): readonly string[] {
  const body = readBody(text);
  return body.ok ? parcelsIn(body.value) : [];
}

/** The parcels that a body or an answer names. */
export function parcelsIn(value: unknown): readonly string[] {
  const ids = asObject(value).parcel_ids;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

/** The body with the parcel added, or removed if it names it. A body that cannot be read stays as it is. */
export function withParcelToggled(text: string, id: string): string {
  const body = readBody(text);
  if (!body.ok) return text;
  const before = parcelsOf(text);
  const ids = before.includes(id) ? before.filter((each) => each !== id) : [...before, id];
  return writeBody({ ...asObject(body.value), parcel_ids: ids });
}
