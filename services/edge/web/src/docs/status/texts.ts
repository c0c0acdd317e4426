import { type Pair, translations } from "../../shell/language";

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
    "Sans la commune de démonstration. La table qui suit montre les communes.",
    "Without the demo commune. The table below shows the communes.",
  ],
  communes: ["Communes chargées", "Loaded communes"],
  absentTitle: ["Une commune absente n’est pas exclue", "A commune that is missing is not excluded"],
  absent: [
    "La première requête qui désigne une commune charge ses données chez les éditeurs. Si cela dure, elle reçoit 503 commune_loading avec Retry-After : réessayez. Les données d’un département, d’un document d’urbanisme ou d’un import arrivent à part.",
    "The first request that names a commune loads its data from the publishers. If that takes long, it gets 503 commune_loading with Retry-After: try again. Data of a département, of a planning document or of an import comes apart.",
  ],
  codeLink: ["Ce que veut dire commune_loading", "What commune_loading means"],
  keyNote: [
    "La table montre ce que votre clé peut voir ; une clé d’essai ne voit que la démonstration. La clé reste en mémoire. La lecture ne coûte rien.",
    "The table shows what your key may see; a test key sees the demo only. The key stays in memory. Reading costs nothing.",
  ],
  show: ["Afficher les communes", "Show the communes"],
  search: ["Nom ou code INSEE", "Name or INSEE code"],
  any: ["Tous", "All"],
  area: ["Département", "Département"],
  everywhere: ["Tous", "All"],
  found: [
    (shown: number, text: string, all: string) => `${text} commune${shown > 1 ? "s" : ""} sur ${all}.`,
    (shown: number, text: string, all: string) => `${text} commune${shown === 1 ? "" : "s"} of ${all}.`,
  ],
  first: [(count: string) => `Voici les ${count} premières.`, (count: string) => `These are the first ${count}.`],
  commune: ["Commune", "Commune"],
  code: ["Code INSEE", "INSEE code"],
  absentDatasets: ["Non chargé", "Not loaded"],
  noName: ["nom inconnu", "name unknown"],
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
