import { type PlainPair, translations } from "../shell/language";
import plain from "./fileTexts.json";
import type { FilePhase, Form, Route } from "./lines";

export const fileTexts = translations({
  ...plain,
  routes: plain.routes satisfies Record<Route, PlainPair>,
  forms: plain.forms satisfies Record<Form, PlainPair>,
  phases: plain.phases satisfies Record<FilePhase, PlainPair>,
});
