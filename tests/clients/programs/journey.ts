// From an address to a division, with what @hey-api/openapi-ts makes of the description.
import { client } from "./client/client.gen.js";
import { divideLand, landUnitGeojson, resolveAddress, usage } from "./client/sdk.gen.js";
import type { Problem } from "./client/types.gen.js";

const { LANDPARTNER_URL = "", LANDPARTNER_KEY = "", LANDPARTNER_EMPTY_KEY = "", ADDRESS = "" } = process.env;
let key = LANDPARTNER_KEY;
client.setConfig({ baseUrl: LANDPARTNER_URL, auth: () => key });
const asked = { throwOnError: true } as const;

const errors: Record<string, string> = {};
function note(error: Problem | undefined) {
  if (error === undefined) throw new Error("no problem came");
  errors[error.status] = error.code;
}

const label = { label: ADDRESS };
const { parcel_ids } = (await resolveAddress({ body: label, ...asked })).data;
const [unit] = (await landUnitGeojson({ body: { parcel_ids }, ...asked })).data.features;
const headers = { "Idempotency-Key": crypto.randomUUID() };
const division = (await divideLand({ body: { parcel_ids, question: "Two lots?" }, headers, ...asked })).data;
const { requests } = (await usage(asked)).data;
note((await landUnitGeojson({ body: { parcel_ids: ["x"] } })).error);
note((await landUnitGeojson({ body: { parcel_ids: ["00001000AA9999"] } })).error);
key = "lp_live_unknown";
note((await usage()).error);
key = LANDPARTNER_EMPTY_KEY;
note((await landUnitGeojson({ body: { parcel_ids } })).error);
const valeur_fonciere = unit?.properties.history.dvf_sales[0]?.valeur_fonciere;
console.log(JSON.stringify({ parcel_ids, valeur_fonciere, verdict: division.quick_assessment.verdict, requests, errors }));
