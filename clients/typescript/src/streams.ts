import { EventSourceParserStream } from "eventsource-parser/stream";
import { ConnectionFailed, type Problem } from "./errors.js";
import type { components } from "./schema.js";

type Division = components["schemas"]["DivideLandResponse"];

/** One event of a division. Ignore names that you do not know. */
export type DivisionEvent =
  | { name: "quick_assessment"; data: Division["quick_assessment"] }
  | { name: "context"; data: Division["context"] }
  | { name: "answer.delta"; data: { text: string } }
  | { name: "answer"; data: Division["answer"] }
  | { name: "prompt"; data: Division["prompt"] }
  | { name: "error"; data: Problem };

/** The events of an answer. Throws ConnectionFailed if the last one is missing. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<DivisionEvent> {
  const events = body.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>);
  for await (const { event, data } of events.pipeThrough(new EventSourceParserStream())) {
    if (event === "done") return;
    yield { name: event ?? "message", data: JSON.parse(data) } as DivisionEvent;
  }
  throw new ConnectionFailed("the stream ended before its last event");
}

/** The lines of an answer, as JSON. Throws ConnectionFailed if there are fewer than `count`. */
export async function* linesOf(body: ReadableStream<Uint8Array>, count: number): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = "";
  let seen = 0;
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      seen++;
      yield JSON.parse(line);
    }
  }
  if (rest !== "" || seen !== count) throw new ConnectionFailed("the answer ended before its last line");
}
