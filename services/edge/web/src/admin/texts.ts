// The shared texts of the admin page. Each section has its own texts in its folder.
import { type PlainPair, translations } from "../shell/language";
import plain from "./texts.json";

export const adminTexts = translations({
  ...plain,
  page: [(number: number) => `Page ${number}`, (number: number) => `Page ${number}`],
  unitCount: [(count: string) => `${count} u.`, (count: string) => `${count} units`],
  requestCount: [
    (count: string, errors: string) => `${count} req. · ${errors} err.`,
    (count: string, errors: string) => `${count} req. · ${errors} err.`,
  ],
  throttled: [
    (seconds: number) => `Trop d’échecs : réessayez dans ${seconds} s.`,
    (seconds: number) => `Too many failures: try again in ${seconds} s.`,
  ],
  problems: plain.problems as Record<string, PlainPair>,
});
