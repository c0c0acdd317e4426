// A file of lines: its preview, its request, and the answers counted as they arrive.
import type { Problem } from "../api/types";
import { parsed } from "../samples/sample";
import { saveAs } from "../shell/saveAs";

export const ROUTES = {
  addresses: "/api/v1/addresses/resolve/batch",
  units: "/api/v1/land-units/batch",
} as const;
export const FORMS = {
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  geopackage: "application/geopackage+sqlite3",
} as const;
export type Route = keyof typeof ROUTES;
export type Form = keyof typeof FORMS;

export const EXAMPLES: Record<Route, string> = {
  addresses:
    "id,label\na,1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction\nb,12 Boulevard des Licornes Violettes 00100 Exempleville-sur-Fiction\n",
  units: "id,parcel_ids,include\na,00001000AA0001,land\nb,00001000AA0017 00001000AA0018,\n",
};

/** Forms that arrive whole. */
const IS_WHOLE: readonly Form[] = ["xlsx", "geopackage"];

/** What is sent: a text, or a workbook. */
export type Content = string | File;

/** A text starts with an object, or it is a table. */
export function formOf(content: Content): "ndjson" | "csv" | "xlsx" {
  if (typeof content !== "string") return "xlsx";
  return content.trimStart().startsWith("{") ? "ndjson" : "csv";
}

export type FilePhase = "sending" | "receiving" | "done" | "cancelled" | "refused" | "interrupted";

export interface LineError {
  line: number;
  code: string;
  detail: string;
}

export interface FileRun {
  phase: FilePhase;
  form: Form;
  /** The number of lines; null before the service said it. */
  total: number | null;
  answered: number;
  errors: readonly LineError[];
  problem: Problem | null;
  /** The answers that have arrived. */
  parts: Uint8Array<ArrayBuffer>[];
}

/** The rows of a table, which may have line ends within quotation marks, and lines of objects. */
const ROWS = { csv: /(?:"[^"]*"|[^"\n])*\n/gy, ndjson: /[^\n]*\n/gy };
/** The columns line, id and status stand before the code of an error. */
const BEFORE_CODE = 3;
const IS_ANSWERED = /^\{"line":\d+,"id":(?:"(?:[^"\\]|\\.)*"|[^,]*),"status":200/;
const REPORT_MS = 100;

export interface FileRequest {
  route: Route;
  content: Content;
  /** The places of its columns; empty: by their names. */
  columns: string;
  language: string;
  key: string;
}

function post(request: FileRequest, headers: object, signal: AbortSignal, isPreview = false): Promise<Response> {
  const { route, content, columns, language, key } = request;
  const query = new URLSearchParams({ ...(columns && { columns }), ...(isPreview && { preview: "true" }) });
  return fetch(ROUTES[route] + (query.size > 0 ? `?${query}` : ""), {
    method: "POST",
    headers: {
      "accept-language": language,
      "content-type": FORMS[formOf(content)],
      ...(key === "" ? {} : { "x-api-key": key }),
      ...headers,
    },
    body: content,
    cache: "no-store",
    credentials: "omit",
    signal,
  });
}

export interface Preview {
  /** The names of the columns; empty of NDJSON. */
  header: string[];
  lines: { line: number; cells: string[]; problem?: Problem }[];
  /** Why the file cannot be read. */
  problem: Problem | null;
}

/** The first lines as the service reads them. It costs nothing. */
export async function previewOf(request: FileRequest, signal: AbortSignal): Promise<Preview> {
  const response = await post(request, {}, signal, true);
  if (!response.ok) return { header: [], lines: [], problem: (await response.json()) as Problem };
  const lines = (await response.text()).trim().split("\n").map(parsed) as Preview["lines"];
  const header = lines.find(({ line }) => line === 0)?.cells ?? [];
  return { header, lines: lines.filter(({ line }) => line > 0), problem: null };
}

/** Sends the file and reports its progress. Aborting the signal cancels it. The same `once` resumes a lost file. */
export async function sendFile(
  request: FileRequest & { form: Form; once: string },
  signal: AbortSignal,
  onChange: (now: FileRun) => void,
): Promise<void> {
  let now: FileRun = {
    phase: "sending",
    form: request.form,
    total: null,
    answered: 0,
    errors: [],
    problem: null,
    parts: [],
  };
  const change = (part: Partial<FileRun>) => {
    now = { ...now, ...part };
    onChange(now);
  };
  change({});
  try {
    const response = await post(request, { accept: FORMS[request.form], "idempotency-key": request.once }, signal);
    if (response.status !== 200) {
      change({ phase: "refused", problem: (await response.json()) as Problem });
      return;
    }
    change({ phase: "receiving", total: Number(response.headers.get("line-count")) });
    await receive(response, request.form, (part, isDue) => {
      now = { ...now, ...part(now) };
      if (isDue) onChange(now);
    });
    if (IS_WHOLE.includes(request.form)) change({ answered: now.total ?? 0 });
    change({ phase: now.answered === now.total ? "done" : "interrupted" });
  } catch {
    change({ phase: signal.aborted ? "cancelled" : "interrupted" });
  }
}

async function receive(
  response: Response,
  form: Form,
  update: (part: (now: FileRun) => Partial<FileRun>, isDue: boolean) => void,
): Promise<void> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const answerIn = form === "csv" ? tableReader() : answerOfObject;
  let rest = "";
  let reported = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    let answers: Answer[] = [];
    if (form === "csv" || form === "ndjson") {
      rest += decoder.decode(value, { stream: true });
      const rows = rest.match(ROWS[form]) ?? [];
      rest = rest.slice(rows.join("").length);
      answers = rows.flatMap((row) => answerIn(row) ?? []);
    }
    const isDue = performance.now() - reported > REPORT_MS;
    if (isDue) reported = performance.now();
    update(({ parts, answered, errors }) => {
      parts.push(value);
      const failed = answers.flatMap(({ error }) => error ?? []);
      return { answered: answered + answers.length, errors: [...errors, ...failed] };
    }, isDue);
  }
}

/** The answer of a line, with its error if it failed. */
interface Answer {
  error: LineError | null;
}

function answerOfObject(text: string): Answer {
  if (IS_ANSWERED.test(text)) return { error: null };
  const { line, problem } = JSON.parse(text) as { line: number; problem: Problem };
  return { error: { line, code: problem.code, detail: problem.errors?.[0]?.detail ?? problem.detail } };
}

/** What reads the rows of a table of answers, whose own columns come first; null for the header. */
function tableReader(): (row: string) => Answer | null {
  let head: string[] | null = null;
  let cell = /$/g;
  return (row) => {
    if (head === null) {
      const delimiter = /error_code(.)error/.exec(row)?.[1] ?? ",";
      cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))(?:${delimiter}|\\r?\\n)`, "gy");
    }
    const cells = [...row.matchAll(cell)].map(([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain);
    if (head === null) {
      head = cells;
      return null;
    }
    const [line, , status, code = "", detail = ""] = cells.slice(head.lastIndexOf("error_code") - BEFORE_CODE);
    return { error: status === "200" ? null : { line: Number(line), code, detail } };
  };
}

const EXTENSIONS: Record<Form, string> = { ndjson: "ndjson", csv: "csv", xlsx: "xlsx", geopackage: "gpkg" };

/** Saves the answers as a file of the visitor. */
export function saveAnswers({ parts, form }: FileRun, route: Route): void {
  saveAs(new Blob(parts, { type: FORMS[form] }), `${route}.${EXTENSIONS[form]}`);
}

/**
 * The text of a file in UTF-8, or else as spreadsheets in Western Europe write it: they read UTF-8 by its mark only, so
 * that the result has one.
 */
export async function textIn(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return `\uFEFF${new TextDecoder("windows-1252").decode(bytes)}`;
  }
}
