// One request and its answer, with every intermediate state.
import type { Problem } from "../api/types";
import type { PreparedRequest } from "../docs/reference/draft";
import { type Call, parsed } from "../samples/sample";
import { applyEvent, EMPTY_STREAM, eventReader, type StreamState } from "./stream";

export interface SentRequest extends PreparedRequest {
  language: string;
  /** With one, the stored answer can be had again in other forms. */
  idempotencyKey?: string;
}

export type Phase = "sending" | "receiving" | "done" | "cancelled" | "unreachable" | "interrupted";

export interface Exchange {
  request: SentRequest;
  /** The API key that it was sent with. */
  key: string;
  phase: Phase;
  status: number | null;
  headers: [string, string][];
  /** Time to the first byte of the answer. */
  waitedMs: number | null;
  tookMs: number | null;
  sizeBytes: number;
  /** The text of the answer; empty of a stream and of a file. */
  text: string;
  file: Blob | null;
  json: unknown;
  problem: Problem | null;
  streamed: StreamState | null;
}

export function isPending(exchange: Exchange | undefined): boolean {
  return exchange?.phase === "sending" || exchange?.phase === "receiving";
}

export const EVENT_STREAM = "text/event-stream";
const IS_STREAM = /^text\/event-stream/;
const IS_TEXT = /json|text/;

/** The headers of a request without its key. */
export function headersOf(request: SentRequest): Record<string, string> {
  return {
    ...request.headers,
    "accept-language": request.language,
    ...(request.idempotencyKey === undefined ? {} : { "idempotency-key": request.idempotencyKey }),
  };
}

/** Sends the request and reports each change until a final phase. Aborting the signal cancels it. */
export async function sendRequest(
  request: SentRequest,
  key: string,
  signal: AbortSignal,
  onChange: (now: Exchange) => void,
): Promise<Exchange> {
  const started = performance.now();
  let now: Exchange = {
    request,
    key,
    phase: "sending",
    status: null,
    headers: [],
    waitedMs: null,
    tookMs: null,
    sizeBytes: 0,
    text: "",
    file: null,
    json: undefined,
    problem: null,
    streamed: null,
  };
  const change = (part: Partial<Exchange>) => {
    now = { ...now, ...part };
    onChange(now);
    return now;
  };
  const end = (phase: Phase, part: Partial<Exchange> = {}) =>
    change({ ...part, phase, tookMs: performance.now() - started });
  onChange(now);
  try {
    const response = await fetch(request.path, {
      method: request.method,
      headers: { ...headersOf(request), ...(key === "" ? {} : { "x-api-key": key }) },
      body: request.body,
      cache: "no-store",
      credentials: "omit",
      redirect: "manual",
      signal,
    });
    const isStream = IS_STREAM.test(typeOf(response));
    change({
      phase: "receiving",
      status: response.status,
      headers: [...response.headers],
      waitedMs: performance.now() - started,
      streamed: isStream ? EMPTY_STREAM : null,
    });
    if (!isStream) {
      const content = await response.blob();
      const isText = content.size === 0 || IS_TEXT.test(typeOf(response));
      const text = isText ? await content.text() : "";
      const json = parsed(text);
      const isProblem = response.status >= 400 && typeof json === "object" && json !== null;
      const problem = isProblem ? (json as Problem) : null;
      return end("done", { sizeBytes: content.size, text, file: isText ? null : content, json, problem });
    }
    const parse = eventReader((name, data) => {
      if (now.streamed === null) return;
      change({ streamed: applyEvent(now.streamed, { name, data, atMs: performance.now() - started }) });
    });
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      now = { ...now, sizeBytes: now.sizeBytes + part.value.byteLength };
      parse(decoder.decode(part.value, { stream: true }));
    }
    const { division: json, isDone, problem } = now.streamed ?? EMPTY_STREAM;
    return end(isDone || problem !== null ? "done" : "interrupted", { json, problem });
  } catch {
    if (signal.aborted) return end("cancelled");
    return end(now.status === null ? "unreachable" : "interrupted");
  }
}

function typeOf(response: Response): string {
  return response.headers.get("content-type") ?? "";
}

export function headerOf(exchange: Exchange, name: string): string | undefined {
  return exchange.headers.find(([each]) => each === name)?.[1];
}

/** The request as a call of a sample. */
export function sampleOf(request: SentRequest): Call {
  return {
    method: request.method,
    url: location.origin + request.path,
    headers: headersOf(request),
    body: request.body,
  };
}

/** A limit of the RateLimit headers (draft-ietf-httpapi-ratelimit-headers). */
export interface RateLimit {
  policy: string;
  quota: number;
  remaining: number;
  resetS: number;
}

/** Parses `"minute";q=600;w=60` and `"minute";r=599;t=60`. */
export function rateLimits(policies: string | undefined, limits: string | undefined): RateLimit[] {
  const quotas = new Map(parsedItems(policies).map(({ name, of }) => [name, of("q")]));
  return parsedItems(limits).flatMap(({ name, of }) => {
    const quota = quotas.get(name);
    const remaining = of("r");
    const resetS = of("t");
    if (quota === undefined || remaining === undefined || resetS === undefined) return [];
    return [{ policy: name, quota, remaining, resetS }];
  });
}

function parsedItems(header: string | undefined): { name: string; of: (parameter: string) => number | undefined }[] {
  return (header ?? "").split(",").flatMap((item) => {
    const name = /^\s*"([^"]+)"/.exec(item)?.[1];
    if (name === undefined) return [];
    const of = (parameter: string) => {
      const value = new RegExp(`;\\s*${parameter}=(\\d+)`).exec(item)?.[1];
      return value === undefined ? undefined : Number(value);
    };
    return [{ name, of }];
  });
}
