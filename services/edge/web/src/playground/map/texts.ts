import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";
import type { LegendItem, Theme } from "./themes";

export const mapTexts = translations({
  ...plain,
  backgrounds: plain.backgrounds as Record<string, PlainPair>,
  themeNames: plain.themeNames satisfies Record<Theme, PlainPair>,
  legendItems: plain.legendItems satisfies Record<LegendItem, PlainPair>,
  saleKinds: plain.saleKinds as Record<string, PlainPair>,
  sold: [
    (what: string, on: string, price: string, perM2: string) =>
      `Vente\u00a0: ${what}, ${on}, ${price}, ${perM2} par m²`,
    (what: string, on: string, price: string, perM2: string) => `Sale: ${what}, ${on}, ${price}, ${perM2} per m²`,
  ],
  noneShown: plain.noneShown satisfies Record<Theme, PlainPair>,
  missing: plain.missing as Record<string, PlainPair>,
  added: [(id: string) => `Parcelle ${id} ajoutée à la demande.`, (id: string) => `Parcel ${id} added to the request.`],
  removed: [
    (id: string) => `Parcelle ${id} retirée de la demande.`,
    (id: string) => `Parcel ${id} removed from the request.`,
  ],
  building: [
    (count: number) => (count === 1 ? "1 bâtiment" : `${count} bâtiments`),
    (count: number) => (count === 1 ? "1 building" : `${count} buildings`),
  ],
  way: [
    (area: string, width: string) => `Voie commune\u00a0: ${area}, largeur ${width}`,
    (area: string, width: string) => `Shared way: ${area}, width ${width}`,
  ],
  controls: plain.controls as Record<string, PlainPair>,
});
