// From an address to a division as an agent, with the library that the first argument names.
import { createMCPClient } from "@ai-sdk/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { LANDPARTNER_URL, LANDPARTNER_KEY, LANDPARTNER_EMPTY_KEY, ADDRESS } = process.env;
const url = `${LANDPARTNER_URL}/api/v1/mcp`;

/** Calls a tool. The libraries check its result against its schema. */
const libraries = {
  official: async (headers) => {
    const client = new Client({ name: "journey", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    await client.listTools();
    return (name, args) => client.callTool({ name, arguments: args });
  },
  vercel: async (headers) => {
    const client = await createMCPClient({ transport: { type: "http", url, headers } });
    const tools = await client.tools();
    return (name, args) => tools[name].execute(args, { toolCallId: name, messages: [] });
  },
};
const connect = libraries[process.argv[2]];

const errors = {};
const note = ({ structuredContent: { problem } }) => {
  errors[problem.status] = problem.code;
};

const call = await connect({ "x-api-key": LANDPARTNER_KEY });
const answer = async (name, args) => (await call(name, args)).structuredContent.answer;
const { parcel_ids } = await answer("resolve_address", { label: ADDRESS });
const unit = await answer("land_unit", { parcel_ids });
const division = await answer("divide_land", { parcel_ids, question: "Two lots?" });
const { requests } = await answer("usage", {});
note(await call("land_unit", { parcel_ids: ["x"] }));
note(await call("land_unit", { parcel_ids: ["00001000AA9999"] }));
const empty = await connect({ authorization: `Bearer ${LANDPARTNER_EMPTY_KEY}` });
note(await empty("land_unit", { parcel_ids }));
await connect({ "x-api-key": "lp_live_unknown" }).then(
  () => process.exit(1),
  (error) => note({ structuredContent: { problem: JSON.parse(/\{.*\}/.exec(error.message)[0]) } }),
);
const [sale] = unit.features[0].properties.history.dvf_sales;
const result = { parcel_ids, valeur_fonciere: sale.valeur_fonciere, verdict: division.quick_assessment.verdict };
console.log(JSON.stringify({ ...result, requests, errors }));
process.exit(0);
