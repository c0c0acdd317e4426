// The chapters of the guide. A chapter that is missing in one language does not compile.
import type { ReactNode } from "react";
import { type Translations, translations } from "../shell/language";
import { english } from "./chapters.en";
import { french } from "./chapters.fr";

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

export interface Prose {
  title: string;
  /** The text before generated content, such as a table. */
  before: ReactNode;
  after?: ReactNode;
}

export const intro = translations({
  title: ["Commencer", "Start here"],
  text: [
    "Envoyez une adresse, recevez l’adresse normalisée et ses parcelles ; envoyez celles-ci, recevez le terrain avec ses " +
      "permis et ses ventes ; demandez s’il peut être divisé. Un après-midi suffit pour s’y brancher.",
    "Send an address, get the normalised address and its parcels; send those on, get the land with its permits and " +
      "sales; ask whether it can be divided. An afternoon is enough to integrate it.",
  ],
});

export const prose: Translations<Record<Chapter, Prose>> = { fr: french, en: english };

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
