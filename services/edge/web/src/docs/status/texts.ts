import { type Pair, translations } from "../../shell/language";

/** The names of the publishers' pieces, also for the coverage map. */
export const statusTexts = translations({
  title: ["État du service et des données", "State of the service and its data"],
  intro: [
    "Ce qui fonctionne en ce moment, et ce qui est chargé de chaque jeu de données.",
    "What works at this moment, and what is loaded of each dataset.",
  ],
  services: ["Services", "Services"],
  ok: ["Tout fonctionne", "Everything works"],
  degraded: ["Une partie du service ne répond pas", "A part of the service does not answer"],
  checked: [(when: string) => `Vérifié ${when}.`, (when: string) => `Checked ${when}.`],
  names: {
    keys: ["Clés", "Keys"],
    land: ["Données foncières", "Land data"],
    assistant: ["Assistant", "Assistant"],
  } as Record<string, Pair>,
  without: {
    keys: [
      "Aucune requête avec une clé n’aboutit : toutes reçoivent 503.",
      "No request with a key succeeds: all get 503.",
    ],
    land: [
      "Ni les adresses, ni les terrains, ni les divisions ne répondent.",
      "Neither addresses nor land nor divisions answer.",
    ],
    assistant: [
      "Les divisions ne répondent pas ; les adresses et les terrains répondent.",
      "Divisions do not answer; addresses and land do.",
    ],
  } as Record<string, Pair>,
  up: ["en marche", "working"],
  down: ["ne répond pas", "does not answer"],
  since: [(at: string) => `depuis le ${at}`, (at: string) => `since ${at}`],
  availability: ["Disponibilité sur 90 jours", "Availability over 90 days"],
  availabilityIntro: [
    "Part des vérifications, une par minute, auxquelles chaque service a répondu. Un trait par jour (UTC).",
    "Share of the checks, one a minute, that each service answered. One bar a day (UTC).",
  ],
  data: ["Données", "Data"],
  dataIntro: [
    "Sans la commune de démonstration. La carte de couverture montre les communes.",
    "Without the demo commune. The coverage map shows the communes.",
  ],
  coverage: ["Carte de couverture", "Coverage map"],
  kept: [
    (at: string) => `Le service foncier ne répond pas. Voici l’état du ${at}.`,
    (at: string) => `The land service does not answer. This is the state of ${at}.`,
  ],
  unknown: [
    "Le service foncier n’a pas répondu depuis le démarrage : on ne sait pas ce qui est chargé.",
    "The land service has not answered since the start: what is loaded is not known.",
  ],
  dataset: ["Jeu de données", "Dataset"],
  edition: ["Millésime", "Edition"],
  loaded: ["Chargé", "Loaded"],
  lastLoad: ["Dernier chargement", "Last load"],
  refresh: ["Prochain rafraîchissement", "Next refresh"],
  editions: [(oldest: string, newest: string) => `${oldest} à ${newest}`, (a: string, b: string) => `${a} to ${b}`],
  unknownEdition: ["inconnu", "unknown"],
  due: ["en cours", "under way"],
  never: ["par l’exploitant", "by the operator"],
  asked: ["interrogé à chaque besoin", "looked up when needed"],
  nothing: ["rien pour l’instant", "nothing yet"],
  way: {
    on_demand: ["À la première requête sur un lieu", "With the first request for a place"],
    import: ["Importé par l’exploitant", "Imported by the operator"],
    lookup: ["Interrogé lieu par lieu", "Looked up place by place"],
  } as Record<string, Pair>,
  pieces: {
    commune: [(n: number, text: string) => `${text} commune${n > 1 ? "s" : ""}`, plural("commune")],
    filing_commune: [
      (n: number, text: string) => `${text} commune${n > 1 ? "s" : ""} de dépôt`,
      plural("filing commune"),
    ],
    department: [(n: number, text: string) => `${text} département${n > 1 ? "s" : ""}`, plural("département")],
    document: [(n: number, text: string) => `${text} document${n > 1 ? "s" : ""}`, plural("document")],
    country: [() => "toute la France", () => "the whole of France"],
  } as Record<string, Pair<(count: number, text: string) => string>>,
});

function plural(noun: string) {
  return (count: number, text: string) => `${text} ${noun}${count === 1 ? "" : "s"}`;
}
