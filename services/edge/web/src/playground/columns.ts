// The columns of a file, and the one that is read as each member of a line.
import { parsed } from "../samples/sample";
import { folded } from "../shell/folded";
import { asObject, type JsonObject } from "./body";
import type { Route } from "./lines";

const SHOWN_LINES = 10;
const ADDRESS = {
  label: /adresse|address|label|libelle/,
  number: /^(numero|num|no)(_|\b)|house/,
  street: /voie|rue|street/,
  postcode: /postal|postcode|zip|^cp$/,
  city_code: /insee|code.?commune|city.?code/,
  city: /ville|commune|city|town/,
};
const LISTS = { parcel_ids: /parcel|cadastr|^idu$/, include: /^blocs?$/ };
const ID = /^(id|identifiant|ref|reference)$/;
export type Member = "id" | keyof typeof ADDRESS | keyof typeof LISTS;
/** The members of a line in a table, with the names that other tables give them. */
const MEMBERS: Record<Route, Readonly<Record<string, RegExp>>> = {
  addresses: { id: ID, ...ADDRESS },
  units: { id: ID, ...LISTS, ...ADDRESS },
};

/** The members of lines of NDJSON, with the values of the first ones. */
export function membersOf(text: string): { header: string[]; rows: string[][] } {
  const objects = text
    .trim()
    .split("\n")
    .map((line) => flat(parsed(line)));
  const header = [...new Set(objects.flatMap(Object.keys))];
  const rows = objects.slice(0, SHOWN_LINES).map((line) => header.map((name) => [line[name] ?? ""].flat().join(" ")));
  return { header, rows };
}

/** The members of an object, then those of objects in it. Its own have priority. */
function flat(value: unknown): JsonObject {
  const object = asObject(value);
  const own = Object.fromEntries(Object.entries(object).filter(([, inner]) => asObject(inner) !== inner));
  return Object.assign({}, own, ...Object.values(object).map(asObject), own);
}

/** The index of the column of each member, as text; empty if the table has none for it. */
export type Columns = Readonly<Record<string, string>>;

/** The columns with the names of members, then those with names that mean the same. */
export function presetOf(route: Route, header: readonly string[]): Columns {
  const names = header.map(folded);
  const columns = Object.fromEntries(Object.keys(MEMBERS[route]).map((member) => [member, names.indexOf(member)]));
  for (const [member, pattern] of Object.entries(MEMBERS[route])) {
    if (columns[member] !== -1) continue;
    const taken = Object.values(columns);
    columns[member] = names.findIndex((name, index) => pattern.test(name) && !taken.includes(index));
  }
  return Object.fromEntries(Object.entries(columns).map(([member, index]) => [member, index < 0 ? "" : String(index)]));
}

/** The places of the columns as the service reads them, from 1. */
export function placesOf(columns: Columns): string {
  const chosen = Object.entries(columns).filter(([, column]) => column !== "");
  return chosen.map(([member, column]) => `${member}:${Number(column) + 1}`).join(",");
}

/** Lines of NDJSON with the names of members. Members that are none are not sent. */
export function withMembers(text: string, header: readonly string[], columns: Columns): string {
  const members = Object.keys(columns);
  const names = header.map((_, index) => members.find((member) => columns[member] === String(index)) ?? "");
  return text.replace(/\S.*/g, (line) => {
    const value = parsed(line);
    if (asObject(value) !== value) return line; // the service says what is wrong
    const sent: JsonObject = {};
    for (const [name, given] of Object.entries(flat(value))) {
      const member = names[header.indexOf(name)] ?? "";
      const text = typeof given === "number" && member !== "id" ? String(given) : given;
      if ("parcel_ids" in columns && member in ADDRESS) sent.address = { ...asObject(sent.address), [member]: text };
      else if (member in LISTS && typeof text === "string") sent[member] = text.match(/[^\s,;|]+/g);
      else if (member !== "") sent[member] = text;
    }
    return JSON.stringify(sent);
  });
}
