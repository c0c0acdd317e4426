import { type PlainPair, translations } from "../shell/language";
import plain from "./fileTexts.json";
import type { FilePhase, Form, Route } from "./lines";

export const fileTexts = translations({
  ...plain,
  perLine: [(units: string) => `Une ligne réussie : ${units}.`, (units: string) => `A line that succeeds: ${units}.`],
  routes: plain.routes satisfies Record<Route, PlainPair>,
  moreErrors: [
    (count: string) => `Et ${count} autres, dans le résultat.`,
    (count: string) => `And ${count} more, in the result.`,
  ],
  forms: plain.forms satisfies Record<Form, PlainPair>,
  progress: [
    (answered: string, total: string, failed: string) =>
      `Lignes traitées : ${answered} sur ${total}, dont ${failed} en erreur`,
    (answered: string, total: string, failed: string) => `${answered} of ${total} lines, ${failed} of them failed`,
  ],
  phases: plain.phases satisfies Record<FilePhase, PlainPair>,
});
