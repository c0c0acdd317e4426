// Repeats a request that failed, if that cannot bill twice. An error of the service costs nothing. After a lost connection
// or an error of a gateway, only free requests and those with an Idempotency-Key are repeated.
import { ConnectionFailed } from "./errors.js";

export interface Limits {
  attempts: number;
  /** How long a call may take, with all its attempts and pauses. */
  deadlineMs: number;
}

const ALWAYS_REPEATED = [429, 503];
const GATEWAY_ERRORS = [502, 504];
const STILL_RUNNING = "idempotency_in_progress";
const FREE = /\/api\/v1\/(usage|coverage)/;
const STREAMS = /event-stream|ndjson/;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

type Fetch = (request: Request) => Promise<Response>;

/** Returns a fetch that makes several attempts. Throws ConnectionFailed if none has an answer. */
export function repeating(send: Fetch, limits: Limits): Fetch {
  return async (request) => {
    const endsAt = Date.now() + limits.deadlineMs;
    const neverBillsTwice = FREE.test(request.url) || request.headers.has("idempotency-key");
    for (let made = 1; ; made++) {
      const remainingMs = endsAt - Date.now();
      const outcome = await attempt(send, request, remainingMs);
      const mayBeRepeated =
        outcome instanceof Response ? await isRepeated(outcome, neverBillsTwice) : neverBillsTwice;
      const pauseMs = mayBeRepeated ? pause(outcome, made) : Number.POSITIVE_INFINITY;
      if (made >= limits.attempts || pauseMs >= endsAt - Date.now()) {
        if (outcome instanceof Response) return outcome;
        throw new ConnectionFailed("no complete answer came", { cause: outcome });
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
}

async function attempt(send: Fetch, request: Request, remainingMs: number): Promise<Response | Error> {
  const timeout = AbortSignal.timeout(Math.max(1, remainingMs));
  try {
    const response = await send(new Request(request.clone(), { signal: AbortSignal.any([request.signal, timeout]) }));
    if (response.ok && STREAMS.test(request.headers.get("accept") ?? "")) return response;
    return new Response(await response.arrayBuffer(), response); // a half answer is no answer
  } catch (error) {
    request.signal.throwIfAborted(); // the caller's wish
    return error as Error;
  }
}

async function isRepeated(response: Response, neverBillsTwice: boolean): Promise<boolean> {
  if (response.ok) return false;
  if (ALWAYS_REPEATED.includes(response.status)) return true;
  const code = await codeOf(response);
  return code === STILL_RUNNING || (GATEWAY_ERRORS.includes(response.status) && (code !== "" || neverBillsTwice));
}

async function codeOf(response: Response): Promise<string> {
  try {
    return String(((await response.clone().json()) as { code?: unknown }).code ?? "");
  } catch {
    return "";
  }
}

function pause(outcome: Response | Error, made: number): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (made - 1), LONGEST_PAUSE_MS);
  const spread = longest * (0.5 + Math.random() / 2);
  const value = outcome instanceof Response ? outcome.headers.get("retry-after") : null;
  if (value === null) return spread;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) + Math.min(spread, 1000) : spread;
}
