// The body of a request as text, exactly as sent. The form reads and writes this text.
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";

export type JsonObject = Record<string, unknown>;

export interface BodySyntaxError {
  /** From 1. */
  line: number;
  column: number;
  reason: SyntaxErrorReason;
}

export type SyntaxErrorReason = "value" | "name" | "colon" | "comma" | "brace" | "bracket" | "end" | "text" | "symbol";

export type Body = { ok: true; value: unknown } | { ok: false; error: BodySyntaxError };

const REASONS: Readonly<Record<string, SyntaxErrorReason>> = {
  ValueExpected: "value",
  PropertyNameExpected: "name",
  ColonExpected: "colon",
  CommaExpected: "comma",
  CloseBraceExpected: "brace",
  CloseBracketExpected: "bracket",
  EndOfFileExpected: "end",
  UnexpectedEndOfString: "text",
  InvalidEscapeCharacter: "text",
  InvalidUnicode: "text",
  InvalidCharacter: "text",
};

/** The parsed value, or the position of the syntax error. */
export function readBody(text: string): Body {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  const [first] = errors;
  if (first !== undefined) {
    return { ok: false, error: errorAt(text, first.offset, REASONS[printParseErrorCode(first.error)] ?? "symbol") };
  }
  try {
    return { ok: true, value: JSON.parse(text) }; // final check with a strict parser
  } catch {
    return { ok: false, error: errorAt(text, 0, "symbol") };
  }
}

function errorAt(text: string, offset: number, reason: SyntaxErrorReason): BodySyntaxError {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason };
}

export function writeBody(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object with one member set. An empty value removes the member. */
export function withMember(object: JsonObject, name: string, value: unknown): JsonObject {
  if (!isEmpty(value)) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
