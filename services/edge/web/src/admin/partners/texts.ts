import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const partnerTexts = translations({
  ...plain,
  count: [
    (count: number, text: string) => (count < 2 ? `${text} partenaire` : `${text} partenaires`),
    (count: number, text: string) => (count === 1 ? `${text} partner` : `${text} partners`),
  ],
  sorts: plain.sorts as Record<string, PlainPair>,
});
