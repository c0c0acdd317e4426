// The prose of the guide. A chapter that is missing in one language does not compile.
import type { ReactNode } from "react";
import { type Translations, translations } from "../shell/language";

export const CHAPTERS = ["start", "land", "ways", "stream", "errors", "limits", "billing", "data", "versions"] as const;
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

export const prose: Translations<Record<Chapter, Prose>> = {
  fr: {
    start: {
      title: "Une clé, un premier appel",
      before: (
        <>
          <p>
            Votre interlocuteur vous remet une clé, affichée une seule fois&nbsp;: gardez-la côté serveur, dans un
            coffre ou une variable d’environnement, jamais dans une page ou une application distribuée. Elle se met dans
            l’en-tête <code>x-api-key</code>&#8239;; dans une adresse, elle est refusée.
          </p>
          <p>
            Une clé <code>lp_test_…</code> répond de la seule commune de démonstration, fictive, et n’est jamais
            facturée. L’appel ci-dessous fonctionne avec toute clé là où cette commune est chargée.
          </p>
        </>
      ),
    },
    land: {
      title: "De l’adresse au terrain",
      before: (
        <>
          <p>
            La réponse d’une adresse est elle-même un corps valable pour les deux autres points d’accès&nbsp;: passez-la
            telle quelle. Quand <code>address</code> et <code>parcel_ids</code> sont donnés, les parcelles l’emportent.
          </p>
          <p>
            Une rue inconnue donne 404 plutôt qu’une autre rue. Un numéro qui n’existe pas donne la rue, sans parcelle,
            et un avertissement&nbsp;: rien n’est inventé. <code>match</code> dit comment une parcelle a été
            trouvée&nbsp;: <code>declared</code> (par la base adresse), <code>containing</code> (elle contient le
            point), <code>nearest</code> (la plus proche, à 30&nbsp;m au plus).
          </p>
          <p>
            <code>include</code> choisit les blocs&nbsp;: absent, tous&#8239;; <code>[]</code>, aucun. L’historique
            vient toujours. Lisez <code>coverage</code> avant de conclure d’une liste vide&nbsp;: seul{" "}
            <code>covered</code> veut dire «&nbsp;aucun&nbsp;».
          </p>
          <p>
            Le <a href="/api/docs/dictionary">dictionnaire</a> définit chaque champ. Deux pages, en anglais, expliquent{" "}
            <a href="/api/docs/addresses">comment une adresse est recherchée</a> et{" "}
            <a href="/api/docs/land-units">comment chaque valeur du terrain est calculée</a>.
          </p>
        </>
      ),
    },
    ways: {
      title: "Autres points d’accès",
      before: (
        <ul>
          <li>
            <code>GET /addresses/suggest</code> complète une adresse pendant la saisie. Attendez 200&nbsp;ms après une
            touche et abandonnez la requête précédente.
          </li>
          <li>
            <code>GET /addresses/reverse</code> donne le numéro le plus proche d’un point et les parcelles qui
            contiennent ce point.
          </li>
          <li>
            <code>GET /parcels</code> donne les parcelles d’un point ou d’un rectangle&#8239;;{" "}
            <code>POST /parcels/search</code>, celles d’un polygone, des alentours ou du voisinage d’une parcelle,
            filtrées et page par page&nbsp;: <a href="/api/docs/parcels">une page en anglais</a> l’explique.
          </li>
          <li>
            <code>POST /addresses/resolve/batch</code> et <code>POST /land-units/batch</code> répondent à un fichier de
            10&#8239;000 lignes au plus, en NDJSON ou en CSV, ligne par ligne et dans l’ordre. Avec une{" "}
            <code>Idempotency-Key</code>, le même envoi reprend un fichier interrompu sans rien facturer deux fois.
          </li>
          <li>
            Le terrain existe aussi en CSV et en GeoPackage&nbsp;: <code>Accept: text/csv</code> ou{" "}
            <code>application/geopackage+sqlite3</code>.
          </li>
          <li>
            La division existe aussi en plan DXF, <code>Accept: application/dxf</code>, et en GeoPackage. Avec une{" "}
            <code>Idempotency-Key</code>, toutes ces formes se paient une seule fois.
          </li>
        </ul>
      ),
    },
    stream: {
      title: "La division, d’un bloc ou au fil de l’eau",
      before: (
        <p>
          Avec <code>Accept: text/event-stream</code>, la réponse arrive en événements&nbsp;: l’analyse d’abord, puis le
          contexte, puis la réponse rédigée, phrase par phrase. Ignorez les noms que vous ne connaissez pas.
        </p>
      ),
      after: (
        <p>
          Un flux qui s’arrête sans <code>done</code> est incomplet et n’est pas facturé s’il a échoué. L’analyse est
          automatique&nbsp;: elle ne vaut ni conseil juridique, ni certificat d’urbanisme, ni avis de géomètre-expert.
          Les questions sont gardées 30&nbsp;jours&nbsp;: n’y mettez pas de données personnelles.
        </p>
      ),
    },
    errors: {
      title: "Erreurs",
      before: (
        <p>
          Toute erreur est un <code>application/problem+json</code> (RFC 9457). Programmez d’après <code>code</code>,
          qui ne change pas&#8239;; <code>detail</code> est destiné à vos équipes, en français ou en anglais selon{" "}
          <code>Accept-Language</code>. <code>request_id</code> nous permet de retrouver la requête.
        </p>
      ),
    },
    limits: {
      title: "Débit et quotas",
      before: (
        <>
          <p>
            Chaque réponse porte ce que la clé permet et ce qu’il en reste&nbsp;: <code>q</code> requêtes par{" "}
            <code>w</code> secondes, <code>r</code> restantes, tout étant rétabli dans <code>t</code> secondes.
          </p>
        </>
      ),
      after: (
        <p>
          Au-delà, 429 avec <code>Retry-After</code>. <code>GET /api/v1/usage</code> dit le quota du mois et ce qui en
          est consommé. Les lectures peuvent être répétées sans risque après un 502, 503 ou 504, qui ne coûtent rien.
        </p>
      ),
    },
    billing: {
      title: "Unités facturées",
      before: <p>Une réponse réussie coûte un nombre d’unités, par défaut&nbsp;:</p>,
      after: (
        <p>
          Les erreurs ne coûtent rien, refus compris. Une requête que le client interrompt après le début du traitement
          est facturée. Un fichier (<code>/batch</code>) coûte ces unités pour chaque ligne réussie, et aucune ligne
          deux fois. Avec l’en-tête <code>Idempotency-Key</code>, une division ne se paie qu’une fois&nbsp;: la même
          requête avec la même clé reçoit la première réponse pendant 24&nbsp;heures. Les mois sont ceux de Paris. Les
          prix et les unités incluses sont ceux de votre contrat.
        </p>
      ),
    },
    data: {
      title: "Données et licences",
      before: (
        <p>
          Chaque réponse nomme dans <code>sources[]</code> les données dont elle est issue, leur millésime, leur licence
          et l’attribution à montrer à vos utilisateurs. Le service rapporte les faits publiés, à leur date, sans les
          compléter. Un millésime que l’éditeur n’indique pas est <code>unknown</code>. Les réponses sur la commune de
          démonstration ne citent que la démonstration&nbsp;: rien n’y vient des éditeurs.
        </p>
      ),
      after: (
        <>
          <p>
            <strong>DVF est soumis à des conditions supplémentaires</strong>&nbsp;: ces données ne doivent pas servir à
            réidentifier des personnes, et les pages qui les montrent ne doivent pas être indexées par les moteurs de
            recherche. Transmettez <code>X-Robots-Tag: noindex</code>, que nos réponses portent. DVF ne couvre ni
            l’Alsace, ni la Moselle, ni Mayotte.
          </p>
          <p>
            <code>GET /api/v1/coverage</code> liste ce qui est chargé, avec les millésimes.
          </p>
        </>
      ),
    },
    versions: {
      title: "Versions",
      before: (
        <p>
          Tout est sous <code>/api/v1</code>. Des membres peuvent s’ajouter aux réponses&nbsp;: ignorez ceux que vous ne
          connaissez pas. Une suppression est annoncée douze mois avant par les en-têtes <code>Deprecation</code> et{" "}
          <code>Sunset</code>. La description OpenAPI se trouve à{" "}
          <a href="/api/v1/openapi-public.json">/api/v1/openapi-public.json</a>.
        </p>
      ),
    },
  },
  en: {
    start: {
      title: "A key, a first call",
      before: (
        <>
          <p>
            Your contact gives you a key, shown once: keep it on your server, in a vault or an environment variable,
            never in a page or an app that you hand out. It goes into the <code>x-api-key</code> header; in an address
            it is refused.
          </p>
          <p>
            A key <code>lp_test_…</code> answers from the fictional demo commune only and is never billed. The call
            below works with any key where that commune is loaded.
          </p>
        </>
      ),
    },
    land: {
      title: "From the address to the land",
      before: (
        <>
          <p>
            The answer of an address is itself a valid body for the other two endpoints: pass it on as it is. Where both{" "}
            <code>address</code> and <code>parcel_ids</code> are given, the parcels decide.
          </p>
          <p>
            An unknown street gives 404 rather than another street. A number that does not exist gives the street,
            without a parcel, and a warning: nothing is invented. <code>match</code> says how a parcel was found:{" "}
            <code>declared</code> (by the address base), <code>containing</code> (it contains the point),{" "}
            <code>nearest</code> (the nearest, within 30 m).
          </p>
          <p>
            <code>include</code> selects the blocks: left out, all of them; <code>[]</code>, none. History always comes.
            Read <code>coverage</code> before you conclude from an empty list: only <code>covered</code> means "none".
          </p>
          <p>
            The <a href="/api/docs/dictionary">dictionary</a> defines every field. Two pages explain{" "}
            <a href="/api/docs/addresses">how an address is found</a> and{" "}
            <a href="/api/docs/land-units">how each value of the land is computed</a>.
          </p>
        </>
      ),
    },
    ways: {
      title: "Other ways",
      before: (
        <ul>
          <li>
            <code>GET /addresses/suggest</code> completes an address while it is typed. Wait 200 ms after a key, and
            abort the request before.
          </li>
          <li>
            <code>GET /addresses/reverse</code> gives the house number nearest to a point, and the parcels that contain
            the point.
          </li>
          <li>
            <code>GET /parcels</code> gives the parcels at a point or in a box. <code>POST /parcels/search</code> gives
            those of a polygon, around a place, or next to a parcel, with filters and page by page:{" "}
            <a href="/api/docs/parcels">how parcels are found</a>.
          </li>
          <li>
            <code>POST /addresses/resolve/batch</code> and <code>POST /land-units/batch</code> answer a file of up to
            10,000 lines, as NDJSON or CSV, line by line and in order. With an <code>Idempotency-Key</code>, the same
            request resumes an interrupted file, and nothing is charged twice.
          </li>
          <li>
            Land is also a CSV table or a GeoPackage: <code>Accept: text/csv</code> or{" "}
            <code>application/geopackage+sqlite3</code>.
          </li>
          <li>
            A division is also a DXF plan, <code>Accept: application/dxf</code>, and a GeoPackage. With an{" "}
            <code>Idempotency-Key</code>, one price covers all these forms.
          </li>
        </ul>
      ),
    },
    stream: {
      title: "The division, at once or as a stream",
      before: (
        <p>
          With <code>Accept: text/event-stream</code> the answer arrives as events: the assessment first, then the
          context, then the written answer sentence by sentence. Ignore names that you do not know.
        </p>
      ),
      after: (
        <p>
          A stream that ends without <code>done</code> is incomplete, and costs nothing if it failed. The assessment is
          automatic: it is no legal advice, no planning certificate and no surveyor's opinion. Questions are kept for 30
          days: put no personal data in them.
        </p>
      ),
    },
    errors: {
      title: "Errors",
      before: (
        <p>
          Every error is <code>application/problem+json</code> (RFC 9457). Program against <code>code</code>, which does
          not change; <code>detail</code> is for people, in French or English as <code>Accept-Language</code> asks.{" "}
          <code>request_id</code> finds the request on our side.
        </p>
      ),
    },
    limits: {
      title: "Rates and quotas",
      before: (
        <p>
          Every answer carries what the key allows and what is left of it: <code>q</code> requests in <code>w</code>{" "}
          seconds, <code>r</code> left, all of it restored in <code>t</code> seconds.
        </p>
      ),
      after: (
        <p>
          Past that, 429 with <code>Retry-After</code>. <code>GET /api/v1/usage</code> gives the month's quota and what
          is used of it. Requests can be repeated safely after a 502, 503 or 504, which cost nothing.
        </p>
      ),
    },
    billing: {
      title: "Units billed",
      before: <p>A successful answer costs a number of units, by default:</p>,
      after: (
        <p>
          Errors cost nothing, refusals included. A client that leaves after work began pays for the request. A file (
          <code>/batch</code>) costs these units for each line that succeeds, and no line twice. With the header{" "}
          <code>Idempotency-Key</code> a division is paid once: the same request with the same key gets the first answer
          for 24 hours. Months are those of Paris. Prices and included units are those of your contract.
        </p>
      ),
    },
    data: {
      title: "Data and licences",
      before: (
        <p>
          Every answer names in <code>sources[]</code> the data that fed it, with its edition, its licence and the
          attribution to show to your users. The service states facts as published, at their date; it does not fill
          gaps. An edition that the publisher does not state is <code>unknown</code>. Answers about the demo commune
          name only the demo as their source: nothing in them comes from the publishers.
        </p>
      ),
      after: (
        <>
          <p>
            <strong>DVF has further conditions</strong>: this data must not serve to identify people again, and pages
            that show it must not be indexed by search engines. Pass on <code>X-Robots-Tag: noindex</code>, which our
            answers carry. DVF does not cover Alsace, Moselle and Mayotte.
          </p>
          <p>
            <code>GET /api/v1/coverage</code> lists what is loaded, with editions.
          </p>
        </>
      ),
    },
    versions: {
      title: "Versions",
      before: (
        <p>
          Everything is under <code>/api/v1</code>. Members may be added to answers: ignore those you do not know. A
          removal is announced twelve months ahead by the <code>Deprecation</code> and <code>Sunset</code> headers. The
          description for machines is at <a href="/api/v1/openapi-public.json">/api/v1/openapi-public.json</a>.
        </p>
      ),
    },
  },
};

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

/** Dataset, publisher, licence. The publishers' names are not translated. */
export const DATASETS: readonly (readonly [dataset: string, publisher: string, licence: string, url: string])[] = [
  ["Base Adresse Nationale", "DINUM, IGN", "Licence Ouverte 2.0", "https://adresse.data.gouv.fr/"],
  ["Plan cadastral informatisé", "DGFiP, Etalab", "Licence Ouverte 2.0", "https://cadastre.data.gouv.fr/"],
  [
    "Demandes de valeurs foncières géolocalisées (DVF)",
    "DGFiP, Etalab",
    "Licence Ouverte 2.0 + conditions",
    "https://www.data.gouv.fr/datasets/demandes-de-valeurs-foncieres-geolocalisees/",
  ],
  ["Sitadel", "SDES", "Licence Ouverte 2.0", "https://www.statistiques.developpement-durable.gouv.fr/"],
  [
    "Documents d’urbanisme",
    "Géoportail de l’urbanisme",
    "Licence Ouverte 2.0",
    "https://www.geoportail-urbanisme.gouv.fr/",
  ],
  ["BD TOPO", "IGN", "Licence Ouverte 2.0", "https://geoservices.ign.fr/bdtopo"],
  ["Référentiel national des bâtiments (RNB)", "RNB", "Licence Ouverte 2.0", "https://rnb.beta.gouv.fr/"],
  ["Code officiel géographique", "INSEE", "Licence Ouverte 2.0", "https://www.insee.fr/fr/information/8740222"],
];
