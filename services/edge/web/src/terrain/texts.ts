import type { Project, Wish } from "../api/types";
import { type PlainPair, translations } from "../shell/language";
import plain from "./texts.json";

type Scalars = { [Name in keyof Project]: Project[Name] extends readonly unknown[] ? never : Name }[keyof Project];

export const terrainTexts = translations({
  ...plain,
  remove: [(id: string) => `Retirer la parcelle ${id}`, (id: string) => `Remove parcel ${id}`],
  noParcel: [
    (label: string) => `${label} : aucune parcelle à ce nom. Précisez le numéro, ou cherchez autour.`,
    (label: string) => `${label}: no parcel by this name. Give the house number, or search around it.`,
  ],
  retryIn: [(seconds: string) => `Réessayez dans ${seconds} s.`, (seconds: string) => `Try again in ${seconds} s.`],
  lot: [(number: number) => `Lot ${number}`, (number: number) => `Lot ${number}`],
  lotShare: [
    (number: number) => `Lot ${number}, part du terrain`,
    (number: number) => `Lot ${number}, share of the land`,
  ],
  wishStates: plain.wishStates as Record<NonNullable<Wish["status"]>, PlainPair>,
  project: plain.project satisfies Record<Exclude<Scalars, never>, PlainPair>,
  places: plain.places as Record<"drawn" | "around" | "neighbours", PlainPair>,
  drawing: [
    (corners: number) => `Cliquez les sommets sur la carte. Sommets : ${corners}.`,
    (corners: number) => `Click the corners on the map. Corners: ${corners}.`,
  ],
  zoneNames: plain.zoneNames as Record<"U" | "AUc" | "A" | "N", PlainPair>,
});
