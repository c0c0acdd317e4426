import { type Pair, translations } from "../shell/language";

export const docsTexts = translations({
  title: ["Documentation", "Documentation"],
  fullTitle: ["Référence complète de l’API", "Full API reference"],
  fullIntro: [
    "Tous les points d’accès, ceux de l’administration compris. Elle est rédigée en anglais.",
    "Every endpoint, those of the administration included.",
  ],
  toGuide: ["Partenaires\u00a0: commencez par le guide.", "Partners: start with the guide."],
  views: ["Parties de la documentation", "Parts of the documentation"],
  guide: ["Commencer", "Start here"],
  reference: ["Référence", "Reference"],
  dictionary: ["Dictionnaire", "Dictionary"],
  landUnits: ["Calcul du terrain", "Land units"],
  addresses: ["Recherche d’adresse", "Addresses"],
  onlyInEnglish: ["Cette page n’existe qu’en anglais.", ""],
  pageFailed: ["Cette page n’a pas pu être chargée. Rechargez-la.", "This page could not be loaded. Reload it."],
  referenceIntro: [
    "Chaque point d’accès avec ses statuts et de vraies réponses de la commune de démonstration. En anglais.",
    "Every endpoint with its statuses and true answers of the demo commune.",
  ],
  referenceFailed: [
    "La référence n’a pas pu être chargée\u00a0; la description elle-même est ici\u00a0:",
    "The reference could not be loaded; the description itself is here:",
  ],
  contents: ["Sommaire", "Contents"],
  openPlayground: ["Essayer dans le bac à sable", "Try it in the playground"],
  openReference: ["Voir la référence", "See the reference"],
  request: ["Requête", "Request"],
  answer: ["Réponse", "Answer"],
  status: ["Statut", "Status"],
  code: ["Code", "Code"],
  remedy: ["Que faire", "What to do"],
  endpoint: ["Point d’accès", "Endpoint"],
  units: ["Unités", "Units"],
  event: ["Événement", "Event"],
  carries: ["Ce qu’il porte", "What it carries"],
  dataset: ["Données", "Data"],
  publisher: ["Éditeur", "Publisher"],
  licence: ["Licence", "Licence"],
  server: ["Serveur", "Server"],
  example: ["Exemple", "Example"],
  mediaType: ["Type de contenu", "Media type"],
  body: ["Corps de la requête", "Request body"],
  value: ["Valeur", "Value"],
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
  groups: {
    coverage: ["États de la couverture d’un jeu de données.", "States of the coverage of a dataset."],
    problem: ["Codes des erreurs.", "Codes of errors."],
    warning: ["Codes des avertissements.", "Codes of warnings."],
    check: ["Points vérifiés par l’analyse d’une division.", "Checks in the assessment of a division."],
    violation: ["Codes des fautes d’une requête.", "Codes of the violations of a request."],
    procedure: ["Procédures d’urbanisme d’une division.", "Planning procedures of a division."],
    match: ["Rattachement d’une parcelle à une adresse.", "How a parcel was found for an address."],
  } as Record<string, Pair>,
});

/** The remedy for each problem that a partner can get, by its code. */
export const remedies = translations({
  invalid_json: [
    "Le corps n’est pas du JSON\u00a0: corrigez-le avant de réessayer.",
    "The body is not JSON: correct it before you try again.",
  ],
  invalid_payload: [
    "errors[] dit où (pointeur JSON) et pourquoi\u00a0; corrigez ces membres.",
    "errors[] says where (JSON pointer) and why; correct those members.",
  ],
  missing_key: ["Ajoutez l’en-tête x-api-key.", "Add the x-api-key header."],
  invalid_key: ["Vérifiez que la clé a été copiée en entier.", "Check that the key was copied whole."],
  revoked_key: [
    "Cette clé ne servira plus\u00a0: demandez-en une autre.",
    "This key will not work again: ask for another.",
  ],
  expired_key: [
    "Demandez une nouvelle clé ou la prolongation de celle-ci.",
    "Ask for a new key, or for this one to be prolonged.",
  ],
  scope_denied: [
    "La clé n’ouvre pas ce point d’accès\u00a0: demandez à l’étendre.",
    "The key does not open this endpoint: ask to have it widened.",
  ],
  ip_denied: [
    "Appelez depuis une adresse autorisée, ou faites changer la liste.",
    "Call from an allowed address, or have the list changed.",
  ],
  assistant_denied: [
    "La politique de la clé n’admet pas l’assistant\u00a0: demandez-le.",
    "The key's policy does not allow the assistant: ask for it.",
  ],
  address_not_found: [
    "Rien ne ressemble assez à cette adresse. Vérifiez la voie et la commune.",
    "Nothing is close enough to this address. Check the street and the city.",
  ],
  parcel_not_found: [
    "Aucune de ces parcelles n’existe, ou l’adresse n’a pas de numéro.",
    "None of these parcels exists, or the address has no house number.",
  ],
  parcel_retired: [
    "La parcelle a été divisée ou réunie\u00a0: successors[] nomme celles qui la suivent.",
    "The parcel was divided or merged: successors[] names those that followed.",
  ],
  payload_too_large: ["Le corps dépasse 256 Kio.", "The body is larger than 256 KiB."],
  unsupported_media_type: ["Envoyez content-type: application/json.", "Send content-type: application/json."],
  rate_limited: [
    "Attendez Retry-After secondes\u00a0; étalez vos appels.",
    "Wait Retry-After seconds; spread your calls.",
  ],
  quota_exhausted: [
    "Le quota du mois est épuisé\u00a0: il revient le 1er, heure de Paris, ou se relève sur demande.",
    "The month's quota is used up: it returns on the 1st, Paris time, or is raised on request.",
  ],
  assistant_allowance_exhausted: [
    "Les appels ou les jetons de l’assistant sont épuisés pour ce mois\u00a0: ils reviennent le 1er, heure de Paris.",
    "The month's assistant calls or tokens are used up: they return on the 1st, Paris time.",
  ],
  spend_cap_reached: [
    "Le plafond de dépense du mois est atteint\u00a0: demandez à le relever.",
    "The month's spend cap is reached: ask to have it raised.",
  ],
  upstream_failed: [
    "Réessayez une fois\u00a0; si cela dure, transmettez request_id.",
    "Try once more; if it lasts, pass on request_id.",
  ],
  unavailable: [
    "Réessayez après Retry-After, en espaçant les essais.",
    "Try again after Retry-After, with growing pauses.",
  ],
  commune_loading: [
    "Les données de la commune arrivent\u00a0: réessayez après Retry-After.",
    "The commune's data is on its way: try again after Retry-After.",
  ],
  source_unavailable: [
    "L’éditeur des données ne répond pas\u00a0: réessayez plus tard.",
    "The publisher of the data does not answer: try again later.",
  ],
  deadline_exceeded: [
    "Réessayez\u00a0; demandez moins de parcelles à la fois.",
    "Try again; ask for fewer parcels at a time.",
  ],
} as Record<string, Pair>);
