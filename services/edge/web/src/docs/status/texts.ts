import { type Pair, type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const statusTexts = translations({
  ...plain,
  names: plain.names as Record<string, PlainPair>,
  without: plain.without as Record<string, PlainPair>,
  found: [
    (shown: number, text: string, all: string) => `${text} commune${shown > 1 ? "s" : ""} sur ${all}.`,
    (shown: number, text: string, all: string) => `${text} commune${shown === 1 ? "" : "s"} of ${all}.`,
  ],
  way: plain.way as Record<string, PlainPair>,
  pieces: {
    commune: [(n: number, text: string) => `${text} commune${n > 1 ? "s" : ""}`, plural("commune")],
    filing_commune: [
      (n: number, text: string) => `${text} commune${n > 1 ? "s" : ""} de dépôt`,
      plural("filing commune"),
    ],
    department: [(n: number, text: string) => `${text} département${n > 1 ? "s" : ""}`, plural("département")],
    document: [(n: number, text: string) => `${text} document${n > 1 ? "s" : ""}`, plural("document")],
    country: [() => "toute la France", () => "the whole of France"],
  } as Record<string, Pair<(count: number, text: string) => string>>,
});

function plural(noun: string) {
  return (count: number, text: string) => `${text} ${noun}${count === 1 ? "" : "s"}`;
}
