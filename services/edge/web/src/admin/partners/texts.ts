import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const partnerTexts = translations({
  ...plain,
  count: [
    (count: number, text: string) => (count < 2 ? `${text} partenaire` : `${text} partenaires`),
    (count: number, text: string) => (count === 1 ? `${text} partner` : `${text} partners`),
  ],
  sorts: plain.sorts as Record<string, PlainPair>,
  editOne: [(name: string) => `Modifier ${name}`, (name: string) => `Edit ${name}`],
  activeOf: [
    (active: string, all: string) => `${active} sur ${all}`,
    (active: string, all: string) => `${active} of ${all}`,
  ],
  moreActions: [(name: string) => `Autres actions sur ${name}`, (name: string) => `More actions on ${name}`],
  disableOne: [(name: string) => `Désactiver ${name} ?`, (name: string) => `Disable ${name}?`],
  enableOne: [(name: string) => `Réactiver ${name} ?`, (name: string) => `Enable ${name}?`],
  allKeys: [(count: string) => `Toutes les clés (${count})`, (count: string) => `All keys (${count})`],
  onHold: [(reasons: string) => `En attente : ${reasons}`, (reasons: string) => `On hold: ${reasons}`],
});
