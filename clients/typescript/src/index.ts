import createFetchClient, { type Client } from "openapi-fetch";
import { type Limits, repeating } from "./attempts.js";
import { ConnectionFailed, type Problem, ServiceError } from "./errors.js";
import type { components, operations, paths } from "./schema.js";
import { type DivisionEvent, eventsOf, linesOf } from "./streams.js";

export { ConnectionFailed, type DivisionEvent, type Problem, ServiceError };
export type { components, paths };

type Schemas = components["schemas"];
type Body<Operation> = Operation extends { requestBody: { content: { "application/json": infer Content } } }
  ? Content
  : never;
type Query<Operation> = Operation extends { parameters: { query?: infer Parameters } } ? NonNullable<Parameters> : never;

export type AddressQuery = Body<operations["resolveAddress"]>;
export type LandUnitQuery = Body<operations["landUnitGeojson"]>;
export type DivisionQuery = Body<operations["divideLand"]>;
export type WatchQuery = Body<operations["createWatch"]>;
export type ParcelSearch = Body<operations["searchParcels"]>;

/** The answer to a line: what the endpoint answers to it, or a problem. */
export interface Line<Answer> {
  line: number;
  id: string | null;
  status: number;
  body?: Answer;
  problem?: Problem;
}

export interface Options extends Partial<Limits> {
  apiKey: string;
  language?: "fr" | "en";
  fetch?: (request: Request) => Promise<Response>;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Your name for the call: the same call with the same name is billed once. One is made if you give none. */
  idempotencyKey?: string;
}

/**
 * The API with types, retries, pages and streams. Calls throw ServiceError for an error of the service, and ConnectionFailed
 * if no complete answer came.
 */
export class LandPartner {
  /** Every endpoint, with the same key and retries; its results have `data` or `error`. */
  readonly http: Client<paths>;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #baseUrl: string;
  readonly #headers: Record<string, string>;

  constructor(baseUrl: string, { apiKey, language = "fr", fetch = globalThis.fetch, ...limits }: Options) {
    this.#baseUrl = baseUrl.replace(/\/$/, "");
    this.#headers = { "x-api-key": apiKey, "accept-language": language };
    this.#fetch = repeating(fetch, { attempts: 5, deadlineMs: 120_000, ...limits });
    this.http = createFetchClient<paths>({ baseUrl: this.#baseUrl, fetch: this.#fetch, headers: this.#headers });
  }

  async resolve(body: AddressQuery, { signal }: CallOptions = {}): Promise<Schemas["ResolveResponse"]> {
    return resultOf(await this.http.POST("/api/v1/addresses/resolve", { body, ...maybe({ signal }) }));
  }

  async suggest(
    query: Query<operations["suggestAddresses"]>,
    { signal }: CallOptions = {},
  ): Promise<Schemas["SuggestResponse"]> {
    return resultOf(await this.http.GET("/api/v1/addresses/suggest", { params: { query }, ...maybe({ signal }) }));
  }

  async reverse(
    query: Query<operations["reverseAddress"]>,
    { signal }: CallOptions = {},
  ): Promise<Schemas["ReverseResponse"]> {
    return resultOf(await this.http.GET("/api/v1/addresses/reverse", { params: { query }, ...maybe({ signal }) }));
  }

  async landUnit(body: LandUnitQuery, { signal }: CallOptions = {}): Promise<Schemas["FeatureCollection"]> {
    return resultOf(await this.http.POST("/api/v1/land-units/geojson", { body, ...maybe({ signal }) }));
  }

  async divideLand(body: DivisionQuery, options: CallOptions = {}): Promise<Schemas["DivideLandResponse"]> {
    const { signal, idempotencyKey = crypto.randomUUID() } = options;
    const params = { header: { "Idempotency-Key": idempotencyKey } };
    return resultOf(await this.http.POST("/api/v1/assistant/divide-land", { body, params, ...maybe({ signal }) }));
  }

  /** The division as it is made. A stream that breaks off throws ConnectionFailed. */
  async *divisionEvents(body: DivisionQuery, options: CallOptions = {}): AsyncGenerator<DivisionEvent> {
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const response = await this.#post("/api/v1/assistant/divide-land", JSON.stringify(body), headers, options);
    yield* eventsOf(streamOf(response));
  }

  /** Every parcel of an area, page by page. Each page costs units. */
  async *parcels(query: Query<operations["parcels"]>): AsyncGenerator<Schemas["ParcelFeature"]> {
    yield* pages(async (cursor) =>
      resultOf(await this.http.GET("/api/v1/parcels", { params: { query: { ...query, ...cursor } } })),
    );
  }

  /** Every parcel that a search finds, page by page. Each page costs units. */
  async *searchParcels(body: ParcelSearch): AsyncGenerator<Schemas["ParcelFeature"]> {
    yield* pages(async (cursor) =>
      resultOf(await this.http.POST("/api/v1/parcels/search", { body: { ...body, ...cursor } })),
    );
  }

  /** The prices of the loaded sales of an area, by year and kind. */
  async saleStatistics(query: Query<operations["saleStatistics"]>): Promise<Schemas["SaleStatistics"]> {
    return resultOf(await this.http.GET("/api/v1/statistics/sales", { params: { query } }));
  }

  /** The answers to up to 10,000 addresses, in their order. After a lost connection the file is sent again, at no cost. */
  resolveLines(bodies: readonly object[], options: CallOptions = {}) {
    return this.#lines<Schemas["ResolveResponse"]>("/api/v1/addresses/resolve/batch", bodies, options);
  }

  /** The answers to up to 10,000 land units, as `resolveLines`. */
  landUnitLines(bodies: readonly object[], options: CallOptions = {}) {
    return this.#lines<Schemas["FeatureCollection"]>("/api/v1/land-units/batch", bodies, options);
  }

  async keys(): Promise<Schemas["PartnerKeysResponse"]> {
    return resultOf(await this.http.GET("/api/v1/keys"));
  }

  /** Gives a key of the partner a new secret, which only this answer has. */
  async rotateKey(keyId: string, graceDays = 7): Promise<Schemas["RotatedKey"]> {
    const params = { path: { keyId } };
    return resultOf(await this.http.POST("/api/v1/keys/{keyId}/rotate", { params, body: { grace_days: graceDays } }));
  }

  /** Watches parcels, a commune or an area. The same watch again is the first one, with the new name. */
  async createWatch(body: WatchQuery): Promise<Schemas["Watch"]> {
    return resultOf(await this.http.POST("/api/v1/watches", { body }));
  }

  async watches(query: Query<operations["listWatches"]> = {}): Promise<Schemas["WatchesResponse"]> {
    return resultOf(await this.http.GET("/api/v1/watches", { params: { query } }));
  }

  /** Ends a watch. Its events stay in the feed. */
  async deleteWatch(watchId: string): Promise<void> {
    const result = await this.http.DELETE("/api/v1/watches/{watch_id}", { params: { path: { watch_id: watchId } } });
    if (!result.response.ok) resultOf(result);
  }

  /** The oldest events of the watches after an id. Send `next_after` with the next call. */
  async events(query: Query<operations["listEvents"]> = {}): Promise<Schemas["EventsResponse"]> {
    return resultOf(await this.http.GET("/api/v1/events", { params: { query } }));
  }

  /** The oldest events of the partner's keys after an id, as `events`. */
  async keyEvents(query: Query<operations["keyEvents"]> = {}): Promise<Schemas["KeyEventsResponse"]> {
    return resultOf(await this.http.GET("/api/v1/keys/events", { params: { query } }));
  }

  async usage(): Promise<Schemas["UsageResponse"]> {
    return resultOf(await this.http.GET("/api/v1/usage"));
  }

  async coverage(query: Query<operations["coverage"]> = {}): Promise<Schemas["CoverageResponse"]> {
    return resultOf(await this.http.GET("/api/v1/coverage", { params: { query } }));
  }

  async *#lines<Answer>(path: string, bodies: readonly object[], options: CallOptions): AsyncGenerator<Line<Answer>> {
    const file = bodies.map((body) => `${JSON.stringify(body)}\n`).join("");
    const headers = { "content-type": "application/x-ndjson", accept: "application/x-ndjson" };
    const named = { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() };
    let known = 0;
    for (let attempts = 0; ; attempts++) {
      const before = known;
      let seen = 0;
      try {
        const response = await this.#post(path, file, headers, named);
        for await (const line of linesOf(streamOf(response), Number(response.headers.get("line-count")))) {
          if (++seen <= known) continue;
          known = seen;
          yield line as Line<Answer>;
        }
        return;
      } catch (error) {
        const isLost = !(error instanceof ServiceError || options.signal?.aborted);
        if (!isLost || (known === before && attempts > 2)) throw error;
      }
    }
  }

  async #post(path: string, body: string, headers: Record<string, string>, options: CallOptions): Promise<Response> {
    const { signal, idempotencyKey = crypto.randomUUID() } = options;
    const own = { ...this.#headers, ...headers, "idempotency-key": idempotencyKey };
    const request = new Request(this.#baseUrl + path, { method: "POST", body, headers: own, ...maybe({ signal }) });
    const response = await this.#fetch(request);
    if (!response.ok) throw new ServiceError(response.status, await problemOf(response));
    return response;
  }
}

async function* pages(
  read: (cursor: { cursor?: string }) => Promise<Schemas["ParcelCollection"]>,
): AsyncGenerator<Schemas["ParcelFeature"]> {
  let cursor: string | null = null;
  do {
    const page: Schemas["ParcelCollection"] = await read(cursor === null ? {} : { cursor });
    yield* page.features;
    if (page.next_cursor !== null && page.next_cursor === cursor) throw new Error("a page leads to itself");
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** The JSON of a successful answer. An endpoint that also writes files has several types, of which no call here asks. */
function resultOf<Data>(result: { data?: unknown; error?: unknown; response: Response }): Data {
  if (result.data !== undefined) return result.data as Data;
  const problem = typeof result.error === "object" ? (result.error as Partial<Problem> | null) : null;
  throw new ServiceError(result.response.status, problem ?? {});
}

async function problemOf(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Partial<Problem>;
  } catch {
    return {};
  }
}

function streamOf(response: Response): ReadableStream<Uint8Array> {
  if (response.body === null) throw new ConnectionFailed("the answer is empty");
  return response.body;
}

/** The options that are set: an absent one may not be undefined. */
function maybe({ signal }: { signal?: AbortSignal | undefined }): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
