// The endpoints of the playground, and the draft request of each. The body of a draft is text; the form reads and writes it.
import type { ResolveAnswer } from "../api/types";
import { asObject, readBody, writeBody } from "./body";
import type { SentRequest } from "./exchange";

export type EndpointId =
  | "resolve"
  | "suggest"
  | "reverse"
  | "geojson"
  | "divide"
  | "parcels"
  | "search"
  | "usage"
  | "coverage";

export interface Endpoint {
  id: EndpointId;
  method: "GET" | "POST";
  path: string;
  /** Whether the answer can arrive as a stream of events. */
  streams: boolean;
  /** The parameters of its query. */
  parameters: readonly ParameterName[];
}

export type ParameterName = "q" | "city_code" | "lat" | "lon" | "bbox" | "commune" | "limit";

export const ENDPOINTS: Readonly<Record<EndpointId, Endpoint>> = {
  resolve: { id: "resolve", method: "POST", path: "/api/v1/addresses/resolve", streams: false, parameters: [] },
  suggest: {
    id: "suggest",
    method: "GET",
    path: "/api/v1/addresses/suggest",
    streams: false,
    parameters: ["q", "limit", "lat", "lon", "city_code"],
  },
  reverse: {
    id: "reverse",
    method: "GET",
    path: "/api/v1/addresses/reverse",
    streams: false,
    parameters: ["lat", "lon"],
  },
  geojson: { id: "geojson", method: "POST", path: "/api/v1/land-units/geojson", streams: false, parameters: [] },
  divide: { id: "divide", method: "POST", path: "/api/v1/assistant/divide-land", streams: true, parameters: [] },
  parcels: {
    id: "parcels",
    method: "GET",
    path: "/api/v1/parcels",
    streams: false,
    parameters: ["lat", "lon", "bbox", "limit"],
  },
  search: { id: "search", method: "POST", path: "/api/v1/parcels/search", streams: false, parameters: [] },
  usage: { id: "usage", method: "GET", path: "/api/v1/usage", streams: false, parameters: [] },
  coverage: {
    id: "coverage",
    method: "GET",
    path: "/api/v1/coverage",
    streams: false,
    parameters: ["commune", "limit"],
  },
};
export const ENDPOINT_IDS = Object.keys(ENDPOINTS) as EndpointId[];

export function isEndpointId(text: string): text is EndpointId {
  return text in ENDPOINTS;
}

export interface Draft {
  /** The body, exactly as sent. */
  body: string;
  streams: boolean;
  /** Values of the query's parameters; an empty one is not sent. */
  query: Readonly<Partial<Record<ParameterName, string>>>;
}

export type Drafts = Readonly<Record<EndpointId, Draft>>;

const DEMO_LABEL = "1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction";
const DEMO_PLACE = { lat: "47.0006", lon: "1.9995" };
const DEMO_PARCEL = "00001000AA0001";

export function firstDrafts(): Drafts {
  const draft = (body: unknown, query: Draft["query"] = {}): Draft => ({ body: writeBody(body), streams: true, query });
  return {
    resolve: draft({ label: DEMO_LABEL }),
    suggest: draft({}, { q: "rue du 8 m" }),
    reverse: draft({}, { lat: "47.000971", lon: "1.996713" }),
    geojson: draft({ parcel_ids: [DEMO_PARCEL] }),
    divide: draft({ parcel_ids: [DEMO_PARCEL] }),
    parcels: draft({}, DEMO_PLACE),
    search: draft({ neighbours_of: DEMO_PARCEL }),
    usage: draft({}),
    coverage: draft({}),
  };
}

export function requestOf(endpoint: EndpointId, draft: Draft, language: string): SentRequest {
  const { method, path, streams, parameters } = ENDPOINTS[endpoint];
  const query = new URLSearchParams();
  for (const name of parameters) {
    const value = (draft.query[name] ?? "").trim();
    if (value !== "") query.set(name, value);
  }
  return {
    endpoint,
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    language,
    body: method === "POST" ? draft.body : null,
    streams: streams && draft.streams,
  };
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
export function takesParcels(endpoint: EndpointId): boolean {
  return endpoint === "geojson" || endpoint === "divide";
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
