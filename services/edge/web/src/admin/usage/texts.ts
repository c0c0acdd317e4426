import { translations } from "../../shell/language";
import plain from "./texts.json";

export const usageTexts = translations({
  ...plain,
  unitsOf: [
    (count: number, text: string) => `${text} ${count < 2 ? "unité" : "unités"}`,
    (count: number, text: string) => `${text} ${count === 1 ? "unit" : "units"}`,
  ],
  keysOf: [
    (count: number) => `${count} ${count < 2 ? "clé" : "clés"}`,
    (count: number) => `${count} ${count === 1 ? "key" : "keys"}`,
  ],
  more: [
    (count: number) => `Afficher ${count} partenaire${count > 1 ? "s" : ""} de plus`,
    (count: number) => `Show ${count} more partners`,
  ],
});
