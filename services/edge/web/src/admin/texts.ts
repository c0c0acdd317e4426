// The shared texts of the admin page. Each section has its own texts in its folder.
import { type PlainPair, translations } from "../shell/language";
import plain from "./texts.json";

export const adminTexts = translations({
  ...plain,
  problems: plain.problems as Record<string, PlainPair>,
});
