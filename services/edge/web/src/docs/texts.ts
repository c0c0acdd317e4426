import { type PlainPair, translations } from "../shell/language";
import codesPlain from "./codesTexts.json";
import dictionaryPlain from "./dictionaryTexts.json";
import docsPlain from "./docsTexts.json";

export const docsTexts = translations({
  ...docsPlain,
  groups: docsPlain.groups as Record<"start" | "guides" | "lookup" | "changes" | "state", PlainPair>,
});

export const codesTexts = translations(codesPlain);

export const dictionaryTexts = translations({
  ...dictionaryPlain,
  counts: {
    fields: [
      (count: number, text: string) => `${text} champ${count > 1 ? "s" : ""}`,
      (count: number, text: string) => `${text} field${count === 1 ? "" : "s"}`,
    ],
    values: [
      (count: number, text: string) => `${text} valeur${count > 1 ? "s" : ""}`,
      (count: number, text: string) => `${text} value${count === 1 ? "" : "s"}`,
    ],
    parameters: [
      (count: number, text: string) => `${text} paramètre${count > 1 ? "s" : ""}`,
      (count: number, text: string) => `${text} parameter${count === 1 ? "" : "s"}`,
    ],
  },
  units: dictionaryPlain.units as Record<string, PlainPair>,
  sources: dictionaryPlain.sources as Record<string, PlainPair>,
  groups: dictionaryPlain.groups as Record<string, PlainPair>,
});
