import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const referenceTexts = translations({
  ...plain,
  groups: plain.groups as Record<string, PlainPair>,
  units: [
    (count: number, text: string) => `${text} unité${count > 1 ? "s" : ""}`,
    (count: number, text: string) => `${text} unit${count === 1 ? "" : "s"}`,
  ],
  unitsPerLine: [
    (count: number, text: string) => `${text} unité${count > 1 ? "s" : ""} par ligne`,
    (count: number, text: string) => `${text} unit${count === 1 ? "" : "s"} per line`,
  ],
  limits: {
    ...plain.limits,
  },
});
