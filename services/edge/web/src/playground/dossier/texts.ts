import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const dossierTexts = translations({
  ...plain,
  noFacts: [
    (names: string) => `Cette réponse n’a pas tous les blocs. Il manque : ${names}.`,
    (names: string) => `This answer does not have all blocks. Missing: ${names}.`,
  ],
  requestFacts: [
    (units: string) => `Demander tous les blocs · ${units}`,
    (units: string) => `Request all blocks · ${units}`,
  ],
  requestAssessment: [
    (units: string) => `Demander l’analyse · ${units}`,
    (units: string) => `Request the assessment · ${units}`,
  ],
  parcelOf: [(names: string) => `Parcelle ${names}`, (names: string) => `Parcel ${names}`],
  parcelsOf: [(names: string) => `Parcelles ${names}`, (names: string) => `Parcels ${names}`],
  communeOf: [
    (name: string, code: string) => `${name} (code INSEE ${code})`,
    (name: string, code: string) => `${name} (INSEE code ${code})`,
  ],
  insee: [(code: string) => `code INSEE ${code}`, (code: string) => `INSEE code ${code}`],
  madeOn: [(date: string) => `Établi le ${date}`, (date: string) => `Made on ${date}`],
  andMore: [
    (count: number) => (count === 1 ? "et 1 autre" : `et ${count} autres`),
    (count: number) => `and ${count} more`,
  ],
  scale: [
    (scale: string) => `Échelle 1/${scale} sur A4, à 100 %`,
    (scale: string) => `Scale 1/${scale} on A4, at 100%`,
  ],
  coordinates: [
    (centre: string) =>
      `Nord géographique. WGS 84, centre ${centre}. Cotes en mètres d’après le plan cadastral, qui est indicatif.`,
    (centre: string) =>
      `True north. WGS 84, centre ${centre}. Lengths in metres from the cadastral plan, which is indicative.`,
  ],
  undrawn: [
    (count: number) => `Cotes non portées : ${count} côtés.`,
    (count: number) => `Lengths not drawn: ${count} sides.`,
  ],
  legend: plain.legend as Record<string, PlainPair>,
  surveyed: plain.surveyed as Record<string, PlainPair>,
  contiguous: plain.contiguous as Record<string, PlainPair>,
  slopeTo: [
    (slope: string, aspect: string) => `${slope} vers ${aspect}`,
    (slope: string, aspect: string) => `${slope} to ${aspect}`,
  ],
  approved: [(date: string) => `approuvé le ${date}`, (date: string) => `approved on ${date}`],
  easementsPartial: [
    (codes: string) => `aucune des catégories publiées (${codes})`,
    (codes: string) => `none of the published categories (${codes})`,
  ],
  disastersOf: [(count: string) => `${count} dans la commune`, (count: string) => `${count} in the commune`],
  footprint: [
    (area: string, ratio: string) => `emprise ${area} (${ratio} du sol)`,
    (area: string, ratio: string) => `footprint ${area} (${ratio} of the ground)`,
  ],
  storeys: [
    (count: number) => (count === 1 ? "1 niveau" : `${count} niveaux`),
    (count: number) => (count === 1 ? "1 storey" : `${count} storeys`),
  ],
  medianOf: [
    (price: string, kind: string, count: string, radius: string) =>
      `${price}/m² (${kind}), ventes : ${count} à moins de ${radius}`,
    (price: string, kind: string, count: string, radius: string) =>
      `${price}/m² (${kind}), sales: ${count} within ${radius}`,
  ],
  unknownBecause: [(reason: string) => `inconnu (${reason})`, (reason: string) => `unknown (${reason})`],
  olderOnes: [
    (count: number) => (count === 1 ? "et 1 autre plus ancienne" : `et ${count} autres plus anciennes`),
    (count: number) => `and ${count} more, older`,
  ],
  lots: [(rank: number) => `Lots du découpage ${rank}`, (rank: number) => `Lots of proposal ${rank}`],
  accesses: plain.accesses as Record<string, PlainPair>,
  sideKinds: plain.sideKinds as Record<string, PlainPair>,
  readOn: [(date: string) => `lu le ${date}`, (date: string) => `read on ${date}`],
});
