// The draft request of each endpoint. Its body is text; the form reads and writes this text.
import type { ResolveAnswer } from "../api/types";
import { writeBody } from "./body";
import { ENDPOINTS, type EndpointId } from "./endpoints";
import type { SentRequest } from "./exchange";

export interface Draft {
  /** The body, exactly as sent. */
  body: string;
  streams: boolean;
  /** For coverage only. */
  commune: string;
  limit: string;
}

export type Drafts = Readonly<Record<EndpointId, Draft>>;

const DEMO_LABEL = "1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction";
const DEMO_PARCEL = "00001000AA0001";

export function firstDrafts(): Drafts {
  const draft = (body: unknown): Draft => ({ body: writeBody(body), streams: true, commune: "", limit: "" });
  return {
    resolve: draft({ label: DEMO_LABEL }),
    geojson: draft({ parcel_ids: [DEMO_PARCEL] }),
    divide: draft({ parcel_ids: [DEMO_PARCEL] }),
    usage: draft({}),
    coverage: draft({}),
  };
}

export function requestOf(endpoint: EndpointId, draft: Draft, language: string): SentRequest {
  const { method, path, streams } = ENDPOINTS[endpoint];
  const query = new URLSearchParams();
  if (endpoint === "coverage") {
    if (draft.commune.trim() !== "") query.set("commune", draft.commune.trim());
    if (draft.limit.trim() !== "") query.set("limit", draft.limit.trim());
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
