import { translations } from "../shell/language";
import plain from "./texts.json";

export const homeTexts = translations({
  ...plain,
  keyUntil: [(instant: string) => `Valable jusqu’au ${instant}.`, (instant: string) => `Valid until ${instant}.`],
  chosenDetail: [(id: string) => `Diviser la parcelle ${id}.`, (id: string) => `Dividing parcel ${id}.`],
  drawn: [
    (lots: number) => `Plan de la parcelle, de ses bâtiments et de ${lots} lots proposés`,
    (lots: number) => `Plan of the parcel, its buildings and ${lots} proposed lots`,
  ],
  lot: [
    (id: string, area: string, frontage: string, buildable: string) =>
      `Lot ${id}\u00a0: ${area}\u00a0m², ${frontage}\u00a0m de façade, ${buildable}\u00a0m² hors reculs`,
    (id: string, area: string, frontage: string, buildable: string) =>
      `Lot ${id}: ${area}\u00a0m², ${frontage}\u00a0m of frontage, ${buildable}\u00a0m² within setbacks`,
  ],
  checks: [
    (passed: number, open: number, unknown: number) =>
      `Points vérifiés\u00a0: ${passed} acquis, ${open} à régler, ${unknown} sans donnée.`,
    (passed: number, open: number, unknown: number) =>
      `Checks: ${passed} passed, ${open} to settle, ${unknown} without data.`,
  ],
  sources: [
    (count: number) => `${count} jeux de données sont cités dans la réponse.`,
    (count: number) => `The answer cites ${count} datasets.`,
  ],
});
