import { type Pair, translations } from "../shell/language";

export const docsTexts = translations({
  title: ["Documentation", "Documentation"],
  fullTitle: ["Référence complète de l’API", "Full API reference"],
  fullIntro: [
    "Tous les points d’accès, ceux de l’administration compris.",
    "Every endpoint, those of the administration included.",
  ],
  toGuide: ["Partenaires\u00a0: commencez par le guide.", "Partners: start with the guide."],
  views: ["Parties de la documentation", "Parts of the documentation"],
  groups: {
    start: ["Commencer", "Start"],
    guides: ["Guides", "Guides"],
    lookup: ["Référence", "Reference"],
    changes: ["Nouveautés", "Changes"],
    state: ["État", "State"],
  } as Record<"start" | "guides" | "lookup" | "changes" | "state", Pair>,
  guide: ["Commencer", "Start here"],
  reference: ["Opérations", "Operations"],
  dictionary: ["Dictionnaire", "Dictionary"],
  codes: ["Erreurs", "Errors"],
  status: ["État", "Status"],
  landUnits: ["Terrains", "Land units"],
  addresses: ["Adresses", "Addresses"],
  parcels: ["Parcelles", "Parcels"],
  events: ["Événements", "Events"],
  verdicts: ["Avis", "Verdicts"],
  agents: ["Agents", "Agents"],
  gis: ["SIG", "GIS"],
  changelog: ["Nouveautés", "Changes"],
  downloads: ["À télécharger\u00a0:", "Downloads:"],
  postman: [
    "Dans Postman, choisissez Import et collez l’adresse de cette description\u00a0:",
    "In Postman, choose Import and paste the address of this description:",
  ],
  clients: ["Les clients, avec leurs types\u00a0:", "The clients, with their types:"],
  referenceIntro: [
    "Chaque point d’accès avec ses statuts et de vraies réponses de la commune de démonstration.",
    "Every endpoint with its statuses and true answers of the demo commune.",
  ],
  contents: ["Sommaire", "Contents"],
  openPlayground: ["Essayer dans le bac à sable", "Try it in the playground"],
  openReference: ["Voir la référence", "See the reference"],
  keyVariable: ["La clé, que lisent tous les exemples", "The key, which all samples read"],
  needs: [
    "Python : pip install httpx. JavaScript : Node 18 ou plus récent, dans un fichier .mjs. PHP : 8 ou plus récent, sans extension.",
    "Python: pip install httpx. JavaScript: Node 18 or later, in an .mjs file. PHP: 8 or later, without extensions.",
  ],
  answer: ["Réponse", "Answer"],
  httpStatus: ["Statut", "Status"],
  code: ["Code", "Code"],
  remedy: ["Signification et remède", "Meaning and remedy"],
  endpoint: ["Point d’accès", "Endpoint"],
  units: ["Unités", "Units"],
  dataset: ["Données", "Data"],
  publisher: ["Éditeur", "Publisher"],
  licence: ["Licence", "Licence"],
});

export const codesTexts = translations({
  title: ["Erreurs et avertissements", "Errors and warnings"],
  intro: [
    "Chaque code qu’une réponse peut porter\u00a0: sa cause, et ce qu’il faut faire.",
    "Every code that an answer can carry, with its cause and what to do.",
  ],
  kinds: {
    problem: ["Erreurs", "Errors"],
    error: ["Fautes d’une requête", "Faults of a request"],
    warning: ["Avertissements", "Warnings"],
    other: ["Autres erreurs", "Other errors"],
  },
  about: {
    problem: [
      "Le membre code d’une réponse application/problem+json. Une erreur ne coûte rien.",
      "The member code of an application/problem+json answer. An error costs nothing.",
    ],
    error: [
      "Le membre code de chaque entrée d’errors\u00a0; pointer désigne le membre de la requête.",
      "The member code of each entry of errors; pointer names the member of the request.",
    ],
    warning: [
      "Le membre code de chaque entrée de warnings, dans une réponse réussie.",
      "The member code of each entry of warnings, in a successful answer.",
    ],
    other: [
      "Celles de l’administration, et celles que toute URL peut donner.",
      "Those of the administration, and those that any URL can give.",
    ],
  },
  answer: ["Réponse", "Answer"],
  places: {
    problem: ["application/problem+json", "application/problem+json"],
    error: [
      "Dans errors, avec le code invalid_payload ou un autre.",
      "In errors, with invalid_payload or another code.",
    ],
    warning: ["Dans warnings d’une réponse réussie.", "In warnings of a successful answer."],
    other: ["application/problem+json", "application/problem+json"],
  },
  cause: ["Cause", "Cause"],
  remedy: ["Que faire", "What to do"],
  remedies: {
    problem: ["Lisez detail.", "Read detail."],
    error: [
      "Corrigez le membre que pointer désigne, puis renvoyez la requête.",
      "Correct the member that pointer names, then send the request again.",
    ],
    warning: [
      "Le reste de la réponse est valable. Tenez compte de cette limite avant de conclure.",
      "The rest of the answer holds. Take this limit into account before you conclude.",
    ],
    other: ["Lisez detail.", "Read detail."],
  },
});

export const dictionaryTexts = translations({
  title: ["Dictionnaire des données", "Data dictionary"],
  intro: [
    "Chaque champ, valeur et paramètre de l’API\u00a0: sa signification, son unité et sa source.",
    "Every field, value and parameter of the API, with its meaning, its unit and its source.",
  ],
  contents: ["Objets et listes de valeurs", "Objects and lists of values"],
  search: ["Rechercher", "Search"],
  searchNote: [
    "Dans les noms, les descriptions et les objets. La touche / place le curseur ici.",
    "In names, descriptions and objects. The / key moves the focus here.",
  ],
  values: ["Voir ses valeurs", "See its values"],
  kind: ["Nature", "Kind"],
  kinds: {
    all: ["Tout", "All"],
    fields: ["Champs", "Fields"],
    values: ["Valeurs", "Values"],
    parameters: ["Paramètres", "Parameters"],
  },
  counts: {
    fields: [
      (count: number, text: string) => `${text} champ${count > 1 ? "s" : ""}`,
      (count: number, text: string) => `${text} field${count === 1 ? "" : "s"}`,
    ],
    values: [
      (count: number, text: string) => `${text} valeur${count > 1 ? "s" : ""}`,
      (count: number, text: string) => `${text} value${count === 1 ? "" : "s"}`,
    ],
    parameters: [
      (count: number, text: string) => `${text} paramètre${count > 1 ? "s" : ""}`,
      (count: number, text: string) => `${text} parameter${count === 1 ? "" : "s"}`,
    ],
  },
  nothing: ["Aucun résultat", "No results"],
  nothingDetail: ["Essayez un autre mot, ou affichez toutes les natures.", "Try another word, or show all kinds."],
  name: ["Nom", "Name"],
  description: ["Description", "Description"],
  status: ["Statut", "Status"],
  unit: ["Unité", "Unit"],
  source: ["Source", "Source"],
  /** Sources that are not datasets. */
  units: {
    code: ["code", "code"],
    count: ["nombre", "count"],
    degree: ["degré", "degree"],
    m2: ["m²", "m²"],
    "EUR/m2": ["EUR/m²", "EUR/m²"],
    rank: ["rang", "rank"],
    ratio: ["rapport", "ratio"],
    token: ["jeton", "token"],
    unit: ["unité facturée", "billing unit"],
    varies: ["variable", "varies"],
    year: ["année", "year"],
  } as Record<string, Pair>,
  sources: { computed: ["calculé", "computed"], service: ["ce service", "this service"] } as Record<string, Pair>,
  groups: {
    coverage: ["États de la couverture d’un jeu de données.", "States of the coverage of a dataset."],
    problem: ["Codes des erreurs.", "Codes of errors."],
    warning: ["Codes des avertissements.", "Codes of warnings."],
    check: ["Points vérifiés par l’analyse d’une division.", "Checks in the assessment of a division."],
    error: ["Codes des fautes d’une requête.", "Codes of the violations of a request."],
    violation: ["Écarts d’un lot aux règles.", "How a lot breaks the rules."],
    procedure: ["Procédures d’urbanisme d’une division.", "Planning procedures of a division."],
    match: ["Rattachement d’une parcelle à une adresse.", "How a parcel was found for an address."],
  } as Record<string, Pair>,
});
