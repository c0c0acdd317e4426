// The prose of the guide in English.
import type { Chapter, Prose } from "./chapters";

export const english: Record<Chapter, Prose> = {
  start: {
    title: "A key, a first call",
    before: (
      <>
        <p>
          Your contact gives you a key, shown once: keep it on your server, in a vault or an environment variable, never
          in a page or an app that you hand out. It goes into the <code>x-api-key</code> header; in a URL it is refused.
        </p>
        <p>
          A key <code>lp_test_…</code> answers from the fictional demo commune only and is never billed. The call below
          works with any key where that commune is loaded.
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
          An unknown street gives 404 rather than another street. A number that does not exist gives the street, without
          a parcel, and a warning: nothing is invented. <code>match</code> says how a parcel was found:{" "}
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
          <code>GET /addresses/suggest</code> completes an address while it is typed. Wait 200 ms after a keystroke, and
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
        Past that, 429 with <code>Retry-After</code>. <code>GET /api/v1/usage</code> gives the month's quota and what is
        used of it. Requests can be repeated safely after a 502, 503 or 504, which cost nothing.
      </p>
    ),
  },
  retry: {
    title: "Retry without paying twice",
    before: (
      <>
        <p>
          A lost connection does not say whether the division was computed. So give each division an{" "}
          <code>Idempotency-Key</code>, such as the number of your file, and store it before you send. The same request
          with the same key is computed again and billed once.
        </p>
        <p>
          This program retries if the answer has <code>Retry-After</code>, after a 502, 503 or 504, and after a lost
          connection. It waits as long as <code>Retry-After</code> says. Without that header it waits 2 s, and twice as
          long at each attempt, plus a random part, so that your machines do not all come back at the same moment. It
          gives up after five attempts, or if the wait is over a minute, such as until next month's quota.
        </p>
      </>
    ),
    after: (
      <p>
        A first request that is still running gives 409{" "}
        <a href="/api/docs/codes#code-idempotency_in_progress">
          <code>idempotency_in_progress</code>
        </a>{" "}
        with <code>Retry-After</code>. Other 4xx errors do not go away by themselves: correct the request.
      </p>
    ),
  },
  billing: {
    title: "Units billed",
    before: <p>A successful answer costs a number of units, by default:</p>,
    after: (
      <p>
        Suggestions are free up to 10,000 requests of a key in a month; after them, each tenth costs one unit. Errors
        cost nothing, refusals included. A client that leaves after work began pays for the request. A file (
        <code>/batch</code>) costs these units for each line that succeeds, and no line twice. With the header{" "}
        <code>Idempotency-Key</code> a division is paid once, for ten requests in 24 hours. Months are those of Paris.
        Prices and included units are those of your contract.
      </p>
    ),
  },
  data: {
    title: "Data and licences",
    before: (
      <p>
        Every answer names in <code>sources[]</code> the data that fed it, with its edition, its licence and the
        attribution to show to your users. The service states facts as published, at their date; it does not fill gaps.
        An edition that the publisher does not state is <code>unknown</code>. Answers about the demo commune name only
        the demo as their source: nothing in them comes from the publishers.
      </p>
    ),
    after: (
      <>
        <p>
          <strong>DVF has further conditions</strong>: this data must not serve to identify people again, and pages that
          show it must not be indexed by search engines. Pass on <code>X-Robots-Tag: noindex</code>, which our answers
          carry. DVF does not cover Alsace, Moselle and Mayotte.
        </p>
        <p>
          <code>GET /api/v1/coverage</code> lists what is loaded, with editions. The{" "}
          <a href="/api/docs/status">status page</a> has the editions of each dataset, and the{" "}
          <a href="/api/docs/coverage">coverage map</a> the communes.
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
};
