// The columns of a file: its first lines, and the column that is sent as each member of a line.

import { parsed } from "../samples/sample";
import { folded } from "../shell/folded";
import { asObject, type JsonObject } from "./body";
import { formOf, type Route } from "./lines";

const SHOWN_LINES = 5;
/** The byte order mark, by which spreadsheets read UTF-8. */
const MARK = /^\uFEFF/;
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
/** The members of a line in a table, with the names that other tables give them. */
const MEMBERS: Record<Route, Readonly<Record<string, RegExp>>> = {
  addresses: { id: ID, ...ADDRESS },
  units: { id: ID, ...LISTS, ...ADDRESS },
};

export interface FirstLines {
  delimiter: string;
  header: string[];
  rows: string[][];
  /** The table after its header. Null of NDJSON, whose header has the members of all lines. */
  rest: string | null;
}

export function firstLinesOf(text: string): FirstLines {
  const start = text.search(/\S/);
  if (start >= 0 && formOf(text) === "csv") return firstRows(text.slice(start));
  const objects = text
    .trim()
    .split("\n")
    .map((line) => flat(parsed(line)));
  const header = [...new Set(objects.flatMap(Object.keys))];
  const rows = objects.slice(0, SHOWN_LINES).map((line) => header.map((name) => [line[name] ?? ""].flat().join(" ")));
  return { delimiter: ",", header, rows, rest: null };
}

/** The members of an object, then those of objects in it. Its own have priority. */
function flat(value: unknown): JsonObject {
  const object = asObject(value);
  const own = Object.fromEntries(Object.entries(object).filter(([, inner]) => asObject(inner) !== inner));
  return Object.assign({}, own, ...Object.values(object).map(asObject), own);
}

function firstRows(text: string): FirstLines {
  const [first = ""] = text.split(/[\r\n]/, 1);
  const delimiter = first.split(";").length > first.split(",").length ? ";" : ",";
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))(${delimiter}|\\r?\\n|\\r|$)`, "y");
  const rows: string[][] = [[]];
  let rest = "";
  while (rows.length <= SHOWN_LINES + 1 && cell.lastIndex < text.length) {
    const [, quoted, plain = "", end = ""] = cell.exec(text) ?? [];
    rows.at(-1)?.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    if (end === delimiter) continue;
    if (rows.length === 1) rest = text.slice(cell.lastIndex - end.length);
    rows.push([]);
  }
  const [header = [], ...others] = rows.filter((row) => row.some((value) => value !== ""));
  return { delimiter, header, rows: others.slice(0, SHOWN_LINES), rest };
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

const ROW = /(?:"(?:[^"]|"")*"|[^"\r\n])+/g;

/** The rows of a table with the columns of the visitor's own table before them, which is not sent whole. */
export function withOwnColumns(answers: string, { header, delimiter, rest }: FirstLines): string {
  const own = rest?.match(ROW) ?? [];
  const [head = "", ...rows] = answers.replace(MARK, "").match(ROW) ?? [];
  const width = (row: string) => row.replace(/"(?:[^"]|"")*"/g, "").split(delimiter).length;
  const names = header.map((name) => (/["\r\n]/.test(name) || name.includes(delimiter) ? quoted(name) : name));
  const merged = rows.map((row) => {
    const line = own[Number.parseInt(row, 10) - 1] ?? "";
    return line + delimiter.repeat(Math.max(1, header.length - width(line) + 1)) + row;
  });
  const mark = MARK.test(answers) ? "\uFEFF" : "";
  return mark + [`${names.join(delimiter)}${delimiter}${head}`, ...merged, ""].join("\r\n");
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The file with the names of members in its header, or in each object. Columns that are no member are not sent. */
export function withColumns(text: string, { header, delimiter, rest }: FirstLines, columns: Columns): string {
  const members = Object.keys(columns);
  const names = header.map((_, index) => members.find((member) => columns[member] === String(index)) ?? "");
  if (rest !== null) return (MARK.exec(text)?.[0] ?? "") + names.join(delimiter) + rest;
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
