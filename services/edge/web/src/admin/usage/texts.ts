import { translations } from "../../shell/language";
import plain from "./texts.json";

export const usageTexts = translations({
  ...plain,
  onlyKey: [(id: string) => `Clé ${id} seulement`, (id: string) => `Key ${id} only`],
  ofRequests: [(share: string) => `${share} des requêtes`, (share: string) => `${share} of requests`],
  bar: [
    (at: string, requests: string, errors: string, latency: string) =>
      `${at} : ${requests} req., ${errors} err., ${latency}`,
    (at: string, requests: string, errors: string, latency: string) =>
      `${at}: ${requests} req., ${errors} err., ${latency}`,
  ],
  onlyThis: [(name: string) => `Limiter à ${name}`, (name: string) => `Limit to ${name}`],
  chartOf: [
    (requests: string, errors: string) => `Requêtes : ${requests}, dont erreurs : ${errors}, par intervalle`,
    (requests: string, errors: string) => `${requests} requests, ${errors} of them errors, by bucket`,
  ],
  provisional: [
    (at: string) => `Montants au ${at}. Le mois se clôt 72 heures après sa fin.`,
    (at: string) => `Amounts as of ${at}. The month closes 72 hours after its end.`,
  ],
  included: [(count: string) => `${count} comprises`, (count: string) => `${count} included`],
  unitsOf: [
    (count: number, text: string) => `${text} ${count < 2 ? "unité" : "unités"}`,
    (count: number, text: string) => `${text} ${count === 1 ? "unit" : "units"}`,
  ],
  keysOf: [
    (count: number) => `${count} ${count < 2 ? "clé" : "clés"}`,
    (count: number) => `${count} ${count === 1 ? "key" : "keys"}`,
  ],
  sharedPlan: [(name: string) => `Tarif « ${name} », payé une fois`, (name: string) => `Plan “${name}”, paid once`],
  vatAt: [(rates: string) => `TVA ${rates}`, (rates: string) => `VAT ${rates}`],
  more: [
    (count: number) => `Afficher ${count} partenaire${count > 1 ? "s" : ""} de plus`,
    (count: number) => `Show ${count} more partners`,
  ],
});
