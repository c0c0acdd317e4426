// The endpoints of the playground: the consumer endpoints of the API description.
export type EndpointId = "resolve" | "geojson" | "divide" | "usage" | "coverage";

export interface Endpoint {
  id: EndpointId;
  method: "GET" | "POST";
  path: string;
  /** Default billing units of an answer. */
  units: number;
  /** Whether the answer can arrive as a stream of events. */
  streams: boolean;
}

export const ENDPOINTS: Readonly<Record<EndpointId, Endpoint>> = {
  resolve: { id: "resolve", method: "POST", path: "/api/v1/addresses/resolve", units: 1, streams: false },
  geojson: { id: "geojson", method: "POST", path: "/api/v1/land-units/geojson", units: 2, streams: false },
  divide: { id: "divide", method: "POST", path: "/api/v1/assistant/divide-land", units: 10, streams: true },
  usage: { id: "usage", method: "GET", path: "/api/v1/usage", units: 0, streams: false },
  coverage: { id: "coverage", method: "GET", path: "/api/v1/coverage", units: 0, streams: false },
};
export const ENDPOINT_IDS = Object.keys(ENDPOINTS) as EndpointId[];

export function isEndpointId(text: string): text is EndpointId {
  return text in ENDPOINTS;
}
