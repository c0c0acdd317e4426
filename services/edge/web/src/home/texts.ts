import { translations } from "../shell/language";

export const homeTexts = translations({
  title: ["Les données d’un terrain, en une requête", "The data of a piece of land, in one request"],
  intro: [
    "Une adresse ou des parcelles\u00a0: le cadastre, l’urbanisme, les permis, les ventes, les risques, et une étude de division. Chaque fait porte sa source et son millésime.",
    "An address or parcels: cadastre, planning, permits, sales, risks, and a study of a division. Every fact carries its source and its edition.",
  ],
  doors: ["Où aller", "Where to go"],
  terrainDoor: ["Étudier", "Study it"],
  terrainDetail: [
    "Une adresse, une parcelle ou un clic : la carte, ce qui est connu, et la réponse à votre question.",
    "An address, a parcel or a click: the map, what is known, and the answer to your question.",
  ],
  docsDoor: ["Intégrer", "Integrate it"],
  docsDetail: [
    "Le guide, la référence, le dictionnaire des champs et les erreurs.",
    "The guide, the reference, the dictionary of fields, and the errors.",
  ],
  forTeam: ["Pour l’équipe du service :", "For the team of the service:"],
  visitorKey: ["Une clé d’essai", "A test key"],
  visitorKeyDetail: [
    "Sans compte. Elle répond sur la commune de démonstration, pendant un jour.",
    "Without an account. It answers from the demo commune, for a day.",
  ],
  getKey: ["Obtenir une clé", "Get a key"],
  copyKey: ["Copier la clé", "Copy the key"],
  keyUntil: [(instant: string) => `Valable jusqu’au ${instant}.`, (instant: string) => `Valid until ${instant}.`],
  tryKey: ["Étudier un terrain avec cette clé", "Study land with this key"],
  sample: ["Un exemple de réponse", "A sample answer"],
  sampleDetail: [
    "Diviser la parcelle 00001000AA0001 de la commune de démonstration, qui est fictive.",
    "Dividing parcel 00001000AA0001 of the demo commune, which is fictional.",
  ],
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
  seeWhole: ["Étudier un terrain", "Study a piece of land"],
  state: ["État du service", "State of the service"],
  ok: ["Tout fonctionne", "Everything works"],
  degraded: ["Une partie du service ne répond pas", "A part of the service does not answer"],
  up: ["en marche", "working"],
  down: ["ne répond pas", "does not answer"],
  dependencies: {
    keys: ["Clés", "Keys"],
    land: ["Données", "Data"],
    assistant: ["Assistant", "Assistant"],
  },
  notFound: ["Cette page n’existe pas", "This page does not exist"],
  notFoundDetail: [
    "L’adresse est peut-être mal écrite, ou la page a changé de place.",
    "The address may be misspelt, or the page may have moved.",
  ],
  toHome: ["Aller à l’accueil", "Go to the home page"],
});
