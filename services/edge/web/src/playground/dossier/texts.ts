import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const dossierTexts = translations({
  ...plain,
  andMore: [
    (count: number) => (count === 1 ? "et 1 autre" : `et ${count} autres`),
    (count: number) => `and ${count} more`,
  ],
  legend: plain.legend as Record<string, PlainPair>,
  surveyed: plain.surveyed as Record<string, PlainPair>,
  contiguous: plain.contiguous as Record<string, PlainPair>,
  storeys: [
    (count: number) => (count === 1 ? "1 niveau" : `${count} niveaux`),
    (count: number) => (count === 1 ? "1 storey" : `${count} storeys`),
  ],
  olderOnes: [
    (count: number) => (count === 1 ? "et 1 autre plus ancienne" : `et ${count} autres plus anciennes`),
    (count: number) => `and ${count} more, older`,
  ],
  accesses: plain.accesses as Record<string, PlainPair>,
  sideKinds: plain.sideKinds as Record<string, PlainPair>,
});
