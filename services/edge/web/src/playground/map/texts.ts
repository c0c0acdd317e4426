import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";
import type { LegendItem, Theme } from "./themes";

export const mapTexts = translations({
  ...plain,
  backgrounds: plain.backgrounds as Record<string, PlainPair>,
  themeNames: plain.themeNames satisfies Record<Theme, PlainPair>,
  legendItems: plain.legendItems satisfies Record<LegendItem, PlainPair>,
  saleKinds: plain.saleKinds as Record<string, PlainPair>,
  noneShown: plain.noneShown satisfies Record<Theme, PlainPair>,
  missing: plain.missing as Record<string, PlainPair>,
  building: [
    (count: number) => (count === 1 ? "1 bâtiment" : `${count} bâtiments`),
    (count: number) => (count === 1 ? "1 building" : `${count} buildings`),
  ],
  controls: plain.controls as Record<string, PlainPair>,
});
