import { type PlainPair, translations } from "../shell/language";
import type { Phase } from "./exchange";
import type { Task } from "./requests";
import plain from "./texts.json";

export const texts = translations({
  ...plain,
  named: [
    (name: string, value: string) => `${name}\u00a0: ${value}`,
    (name: string, value: string) => `${name}: ${value}`,
  ],
  names: plain.names satisfies Record<Task, PlainPair>,
  units: [
    (count: number) => (count === 0 ? "gratuit" : count === 1 ? "1 unité" : `${count} unités`),
    (count: number) => (count === 0 ? "free" : count === 1 ? "1 unit" : `${count} units`),
  ],
  notJson: [
    (detail: string) => `Ce n’est pas du JSON. Le navigateur dit\u00a0: ${detail}`,
    (detail: string) => `This is not JSON. The browser says: ${detail}`,
  ],
  sendFor: [(units: string) => `Envoyer · ${units}`, (units: string) => `Send · ${units}`],
  phases: plain.phases satisfies Record<Phase, PlainPair>,
  bytes: [(size: string) => `${size} o`, (size: string) => `${size} B`],
  shortened: [
    (size: string) => `Le début d’une réponse de ${size} caractères.`,
    (size: string) => `The start of an answer of ${size} characters.`,
  ],
  file: [(size: string) => `Un fichier de ${size} octets.`, (size: string) => `A file of ${size} bytes.`],
  rateLimit: [
    (left: number, of: number, seconds: number) => `${left} sur ${of} restantes, tout est rétabli dans ${seconds} s`,
    (left: number, of: number, seconds: number) => `${left} of ${of} left, all of it back in ${seconds} s`,
  ],
  policies: plain.policies as Record<string, PlainPair>,
  retryAfter: [(seconds: string) => `Réessayez dans ${seconds} s.`, (seconds: string) => `Try again in ${seconds} s.`],
});
