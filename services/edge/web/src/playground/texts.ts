import { type PlainPair, translations } from "../shell/language";
import type { Phase } from "./exchange";
import type { Task } from "./requests";
import plain from "./texts.json";

export const texts = translations({
  ...plain,
  names: plain.names satisfies Record<Task, PlainPair>,
  units: [
    (count: number) => (count === 0 ? "gratuit" : count === 1 ? "1 unité" : `${count} unités`),
    (count: number) => (count === 0 ? "free" : count === 1 ? "1 unit" : `${count} units`),
  ],
  phases: plain.phases satisfies Record<Phase, PlainPair>,
  policies: plain.policies as Record<string, PlainPair>,
});
