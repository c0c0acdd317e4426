// The streamed answer of divide-land, assembled from its events.

import { createParser } from "eventsource-parser";
import type { Division, Problem } from "../api/types";
import { parsed } from "../samples/sample";

export interface StreamEvent {
  name: string;
  data: unknown;
  /** Time since the request was sent. */
  atMs: number;
}

export interface StreamState {
  division: Division;
  events: StreamEvent[];
  /** The text of the answer so far. */
  answerText: string;
  isDone: boolean;
  problem: Problem | null;
}

export const EMPTY_STREAM: StreamState = {
  division: {},
  events: [],
  answerText: "",
  isDone: false,
  problem: null,
};

/** Parses text chunks and calls back once per complete event. Ignores an event that is not JSON. */
export function eventReader(onEvent: (name: string, data: unknown) => void): (text: string) => void {
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const value = parsed(data);
      if (value !== undefined) onEvent(event ?? "message", value);
    },
  });
  return (text) => parser.feed(text);
}

/** The state after one more event. An event with an unknown name is only added to the list. */
export function applyEvent(before: StreamState, event: StreamEvent): StreamState {
  const after = { ...before, events: [...before.events, event] };
  switch (event.name) {
    case "quick_assessment":
    case "context":
    case "prompt":
      return { ...after, division: { ...before.division, [event.name]: event.data } };
    case "answer.delta":
      return { ...after, answerText: before.answerText + String((event.data as { text?: unknown }).text ?? "") };
    case "answer": {
      const answer = event.data as NonNullable<Division["answer"]>;
      return { ...after, answerText: answer.text, division: { ...before.division, answer } };
    }
    case "done":
      return { ...after, isDone: true };
    case "error":
      return { ...after, problem: event.data as Problem };
    default:
      return after;
  }
}
