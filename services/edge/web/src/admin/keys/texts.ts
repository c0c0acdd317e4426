import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const keyTexts = translations({
  ...plain,
  sorts: plain.sorts as Record<string, PlainPair>,
  count: [
    (count: number, text: string) => (count < 2 ? `${text} clé` : `${text} clés`),
    (count: number, text: string) => (count === 1 ? `${text} key` : `${text} keys`),
  ],
});
