import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const referenceTexts = translations({
  ...plain,
  groups: plain.groups as Record<string, PlainPair>,
  admin: [(subject: string) => `Administration : ${subject}`, (subject: string) => `Administration: ${subject}`],
  units: [
    (count: number, text: string) => `${text} unité${count > 1 ? "s" : ""}`,
    (count: number, text: string) => `${text} unit${count === 1 ? "" : "s"}`,
  ],
  unitsPerLine: [
    (count: number, text: string) => `${text} unité${count > 1 ? "s" : ""} par ligne`,
    (count: number, text: string) => `${text} unit${count === 1 ? "" : "s"} per line`,
  ],
  answer: [(status: string) => `Réponse ${status}`, (status: string) => `Answer ${status}`],
  limits: {
    ...plain.limits,
    range: [(from: string, to: string) => `de ${from} à ${to}`, (from: string, to: string) => `${from} to ${to}`],
    characters: [
      (from: string, to: string) => `de ${from} à ${to} caractères`,
      (from: string, to: string) => `${from} to ${to} characters`,
    ],
    length: [(most: string) => `${most} caractères au plus`, (most: string) => `at most ${most} characters`],
    items: [(most: string) => `${most} éléments au plus`, (most: string) => `at most ${most} items`],
    fallback: [(value: string) => `par défaut : ${value}`, (value: string) => `default: ${value}`],
    unit: [(unit: string) => `unité : ${unit}`, (unit: string) => `unit: ${unit}`],
  },
});
