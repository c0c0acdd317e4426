// The HTTP client of the pages: JSON, a timeout for every request, and one error class.
import { pageLanguage } from "../shell/language";
import type { Problem } from "./types";

const TIMEOUT_MS = 15_000;

export type ErrorKind = "refused" | "unreachable" | "timed_out" | "bad_answer";

/** A failed request. `problem` is set if the API answered with a problem. */
export class ApiError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly problem: Problem | null = null,
    readonly retryAfterS: number | null = null,
  ) {
    super(problem?.detail ?? kind);
    this.name = "ApiError";
  }

  get code(): string | null {
    return this.problem?.code ?? null;
  }

  /** Whether a retry of the same request may succeed. */
  get isTemporary(): boolean {
    return this.kind === "unreachable" || this.kind === "timed_out" || (this.problem?.status ?? 0) >= 500;
  }
}

export interface RequestOptions {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** The JSON of the answer; undefined without a body. Raises ApiError, or the signal's reason when it was aborted. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch {
    throw new ApiError("bad_answer");
  }
}

/** The successful answer itself. Raises the same errors as `request`. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = "GET", body, headers = {}, signal, timeoutMs = TIMEOUT_MS } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    method,
    headers: {
      accept: "application/json",
      "accept-language": pageLanguage(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    credentials: "same-origin",
    cache: "no-store",
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(limit.aborted ? "timed_out" : "unreachable");
  }
  if (response.ok) return response;
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  try {
    const problem = (await response.json()) as Problem;
    if (typeof problem.code !== "string") throw new Error("not a problem of this API");
    return new ApiError("refused", problem, Number.isFinite(retryAfter) ? retryAfter : null);
  } catch {
    // probably an error page of a proxy
    return new ApiError(response.status >= 500 ? "unreachable" : "bad_answer");
  }
}
