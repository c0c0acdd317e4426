// The requests of the playground and their drafts. The body of a draft is text; the form reads and writes it.
import type { ResolveAnswer } from "../api/types";
import type { Entry, Schema } from "../docs/reference/description";
import { type Draft, prepare, SET_BY_PAGE } from "../docs/reference/draft";
import { parsed } from "../samples/sample";
import { asObject, writeBody } from "./body";
import { EVENT_STREAM, type SentRequest } from "./exchange";

/** What the pages send, with forms of their own. The reference has a form for every operation. */
export const TASKS = {
  resolve: "/api/v1/addresses/resolve",
  geojson: "/api/v1/land-units/geojson",
  divide: "/api/v1/assistant/divide-land",
  search: "/api/v1/parcels/search",
} as const;
export type Task = keyof typeof TASKS;

/** What a request needs of an operation. */
export type Call = Pick<Entry, "method" | "path" | "operation">;

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

export function requestOf(call: Call, draft: Draft, language: string): SentRequest {
  return { language, ...prepare(call, draft) };
}

/** A body for the other endpoints from a resolved address: its parcels, and the address to echo. */
export function bodyOfResolved({ address, parcel_ids: parcelIds }: ResolveAnswer): string {
  const { label, number, street, postcode, city, city_code } = address;
  const known = Object.entries({ label, number, street, postcode, city, city_code }).filter(
    ([, value]) => value !== null,
  );
  return writeBody({ address: Object.fromEntries(known), parcel_ids: parcelIds });
}

/** The parcels that a body names; none if it cannot be read. */
export function parcelsOf(text: string): readonly string[] {
  const ids = asObject(parsed(text)).parcel_ids;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}
