// The chapters of the guide, in the order of the page. A test finds one that is missing in a language.
import english from "../../../../../docs/guide/en.md";
import french from "../../../../../docs/guide/fr.md";
import type { Translations } from "../shell/language";

export const CHAPTERS = [
  "start",
  "land",
  "ways",
  "stream",
  "errors",
  "limits",
  "retry",
  "billing",
  "data",
  "versions",
] as const;
export type Chapter = (typeof CHAPTERS)[number];

/** One language of the guide, from docs/guide. Its texts are HTML from the build. */
export interface GuideDocument {
  title: string;
  text: string;
  chapters: Record<Chapter, { title: string; before: string; after: string }>;
}

export const guide: Translations<GuideDocument> = { fr: french, en: english };

export const events: Translations<readonly (readonly [name: string, carries: string])[]> = {
  fr: [
    ["quick_assessment", "l’analyse entière\u00a0: avis, points vérifiés, lots proposés"],
    ["context", "le terrain, comme /land-units/geojson avec tous les blocs"],
    ["answer.delta", "text\u00a0: la suite de la réponse, à ajouter"],
    ["answer.reset", "oubliez le texte reçu\u00a0: un modèle s’est interrompu, les règles reprennent au début"],
    ["answer", "la réponse entière, qui remplace ce qui a été ajouté"],
    ["prompt", "fournisseur, modèle et jetons consommés"],
    ["error", "un problème survenu en route\u00a0: le flux s’arrête là"],
    ["done", "la fin\u00a0: tout est arrivé"],
  ],
  en: [
    ["quick_assessment", "the whole assessment: verdict, checks, proposed lots"],
    ["context", "the land, as /land-units/geojson gives it with all blocks"],
    ["answer.delta", "text: what comes next of the answer, to be appended"],
    ["answer.reset", "forget the text received: a model failed and the rules start again"],
    ["answer", "the whole answer, in place of what was appended"],
    ["prompt", "provider, model and tokens used"],
    ["error", "a problem on the way: the stream ends there"],
    ["done", "the end: everything has arrived"],
  ],
};
