import type { Project, Wish } from "../api/types";
import { type PlainPair, translations } from "../shell/language";
import plain from "./texts.json";

type Scalars = { [Name in keyof Project]: Project[Name] extends readonly unknown[] ? never : Name }[keyof Project];

export const terrainTexts = translations({
  ...plain,
  wishStates: plain.wishStates as Record<NonNullable<Wish["status"]> | "noted", PlainPair>,
  project: plain.project satisfies Record<Exclude<Scalars, never>, PlainPair>,
  places: plain.places as Record<"drawn" | "around" | "neighbours", PlainPair>,
  zoneNames: plain.zoneNames as Record<"U" | "AUc" | "A" | "N", PlainPair>,
});
