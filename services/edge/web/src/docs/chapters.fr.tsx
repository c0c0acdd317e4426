// The prose of the guide in French.
import type { Chapter, Prose } from "./chapters";

export const french: Record<Chapter, Prose> = {
  start: {
    title: "Une clé, un premier appel",
    before: (
      <>
        <p>
          Votre interlocuteur vous remet une clé, affichée une seule fois&nbsp;: gardez-la côté serveur, dans un coffre
          ou une variable d’environnement, jamais dans une page ou une application distribuée. Elle se met dans
          l’en-tête <code>x-api-key</code>&#8239;; dans une URL, elle est refusée.
        </p>
        <p>
          Une clé <code>lp_test_…</code> répond de la seule commune de démonstration, fictive, et n’est jamais facturée.
          L’appel ci-dessous fonctionne avec toute clé là où cette commune est chargée.
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
          Une rue inconnue donne 404 plutôt qu’une autre rue. Un numéro qui n’existe pas donne la rue, sans parcelle, et
          un avertissement&nbsp;: rien n’est inventé. <code>match</code> dit comment une parcelle a été trouvée&nbsp;:{" "}
          <code>declared</code> (par la base adresse), <code>containing</code> (elle contient le point),{" "}
          <code>nearest</code> (la plus proche, à 30&nbsp;m au plus).
        </p>
        <p>
          <code>include</code> choisit les blocs&nbsp;: absent, tous&#8239;; <code>[]</code>, aucun. L’historique vient
          toujours. Lisez <code>coverage</code> avant de conclure d’une liste vide&nbsp;: seul <code>covered</code> veut
          dire «&nbsp;aucun&nbsp;».
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
          frappe et abandonnez la requête précédente.
        </li>
        <li>
          <code>GET /addresses/reverse</code> donne le numéro le plus proche d’un point et les parcelles qui contiennent
          ce point.
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
        automatique&nbsp;: elle ne vaut ni conseil juridique, ni certificat d’urbanisme, ni avis de géomètre-expert. Les
        questions sont gardées 30&nbsp;jours&nbsp;: n’y mettez pas de données personnelles.
      </p>
    ),
  },
  errors: {
    title: "Erreurs",
    before: (
      <p>
        Toute erreur est un <code>application/problem+json</code> (RFC 9457). Programmez d’après <code>code</code>, qui
        ne change pas&#8239;; <code>detail</code> est destiné à vos équipes, en français ou en anglais selon{" "}
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
        Au-delà, 429 avec <code>Retry-After</code>. <code>GET /api/v1/usage</code> dit le quota du mois et ce qui en est
        consommé. Une requête peut être répétée sans risque après un 502, 503 ou 504, qui ne coûte rien.
      </p>
    ),
  },
  retry: {
    title: "Réessayer sans payer deux fois",
    before: (
      <>
        <p>
          Une connexion perdue ne dit pas si la division a été calculée. Donnez donc à chaque division une{" "}
          <code>Idempotency-Key</code>, par exemple le numéro de votre dossier, que vous enregistrez avant l’envoi. La
          même requête avec la même clé est calculée de nouveau et facturée une seule fois.
        </p>
        <p>
          Ce programme réessaie quand la réponse porte <code>Retry-After</code>, après un 502, 503 ou 504, et après une
          connexion perdue. Il attend la durée que dit <code>Retry-After</code>. Sans cet en-tête, il attend 2&nbsp;s,
          puis le double à chaque essai, plus une part de hasard&nbsp;: vos machines ne reviennent pas toutes au même
          instant. Il abandonne après cinq essais, ou si l’attente dépasse une minute, par exemple jusqu’au quota du
          mois suivant.
        </p>
      </>
    ),
    after: (
      <p>
        Une première requête encore en cours donne 409{" "}
        <a href="/api/docs/codes#code-idempotency_in_progress">
          <code>idempotency_in_progress</code>
        </a>{" "}
        avec <code>Retry-After</code>. Les autres erreurs 4xx ne changeront pas d’elles-mêmes&nbsp;: corrigez la
        requête.
      </p>
    ),
  },
  billing: {
    title: "Unités facturées",
    before: <p>Une réponse réussie coûte un nombre d’unités, par défaut&nbsp;:</p>,
    after: (
      <p>
        Les suggestions sont gratuites jusqu’à 10&#8239;000 requêtes par clé et par mois&#8239;; ensuite, une sur dix
        coûte une unité. Les erreurs ne coûtent rien, refus compris. Une requête que le client interrompt après le début
        du traitement est facturée. Un fichier (<code>/batch</code>) coûte ces unités pour chaque ligne réussie, et
        aucune ligne deux fois. Avec l’en-tête <code>Idempotency-Key</code>, une division ne se paie qu’une fois, pour
        dix requêtes en 24&nbsp;heures. Les mois sont ceux de Paris. Les prix et les unités incluses sont ceux de votre
        contrat.
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
          <code>GET /api/v1/coverage</code> liste ce qui est chargé, avec les millésimes. La{" "}
          <a href="/api/docs/status">page d’état</a> donne les millésimes de chaque jeu de données, et la{" "}
          <a href="/api/docs/coverage">carte de couverture</a> les communes.
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
};
