// A program that calls the API: the one form from which all samples of code are made.

import { pageLanguage, translations } from "../shell/language";
import plain from "./texts.json";

/** The comments and messages in a sample. */
const texts = translations(plain);

export function words(): typeof texts.fr {
  return texts[pageLanguage()];
}

/** The key in a sample: an environment variable, or the literal key. */
export type KeyForm = { kind: "variable" } | { kind: "literal"; key: string };

/** The body of a call that sends the answer of the call before. */
export const PREVIOUS_ANSWER = Symbol("previous answer");

export interface Call {
  method: string;
  url: string;
  /** All headers but the one of the key. */
  headers: Readonly<Record<string, string>>;
  body: string | typeof PREVIOUS_ANSWER | null;
}

export interface Sample {
  calls: readonly Call[];
  /** What the last call answers: JSON, a stream of events, or JSON after attempts that failed for a time. */
  reads: "json" | "events" | "json after retries";
  key: KeyForm;
}

export const TIMEOUT_S = 35;
export const ATTEMPTS = 5;
/** Statuses of a temporary failure, even without Retry-After. */
export const TEMPORARY = "502, 503, 504";
/** A sample does not wait longer, for example not until the next month's quota. */
export const LONGEST_WAIT_S = 60;

const FLAT_WIDTH = 70;

/** The items between brackets: on one line if they are short, else one per line. */
export function bracketed(open: string, items: readonly string[], close: string, indent: string, step: string): string {
  const flat = `${open}${items.join(", ")}${close}`;
  if (flat.length < FLAT_WIDTH && !flat.includes("\n")) return flat;
  return `${open}\n${items.map((item) => `${indent}${step}${item},`).join("\n")}\n${indent}${close}`;
}

export function indented(lines: readonly string[], by: string): string[] {
  return lines.map((line) => line.replace(/^(?=.)/gm, by));
}

/** The value of a JSON text; undefined if it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
