// The request as code: curl, Python and JavaScript.
import { headersOf, type SentRequest } from "./exchange";

export type SnippetLanguage = "curl" | "python" | "javascript";
export const SNIPPET_LANGUAGES: readonly SnippetLanguage[] = ["curl", "python", "javascript"];

/** The key in a snippet: an environment variable, or the literal key. */
export type KeyForm = { kind: "variable" } | { kind: "literal"; key: string };

const TIMEOUT_S = 35;

export function snippet(language: SnippetLanguage, request: SentRequest, origin: string, key: KeyForm): string {
  const url = origin + request.path;
  switch (language) {
    case "curl":
      return curl(request, url, key);
    case "python":
      return python(request, url, key);
    case "javascript":
      return javascript(request, url, key);
  }
}

function curl(request: SentRequest, url: string, key: KeyForm): string {
  const headers = Object.entries(headersOf(request)).map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`);
  const keyHeader = key.kind === "variable" ? '-H "x-api-key: $LP_KEY"' : `-H ${shell(`x-api-key: ${key.key}`)}`;
  const body = request.body === null ? [] : [`--data-raw ${shell(request.body)}`];
  const command = request.streams ? "curl --no-buffer --show-error --silent" : "curl --show-error --silent";
  return [`${command} ${shell(url)}`, keyHeader, ...headers, ...body].join(" \\\n  ");
}

/** Quotes a text as one word of a POSIX shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function python(request: SentRequest, url: string, key: KeyForm): string {
  const keyValue = key.kind === "variable" ? 'os.environ["LP_KEY"]' : JSON.stringify(key.key);
  const headers = [
    `        "x-api-key": ${keyValue},`,
    ...Object.entries(withoutContentType(request)).map(([name, value]) => `        "${name}": "${value}",`),
  ];
  const call = [
    `    ${JSON.stringify(url)},`,
    "    headers={",
    ...headers,
    "    },",
    ...pythonBody(request.body),
    `    timeout=${TIMEOUT_S},`,
  ];
  const imports = key.kind === "variable" ? ["import os", "", "import httpx", ""] : ["import httpx", ""];
  const method = request.method.toLowerCase();
  const lines = request.streams
    ? [
        ...imports,
        "with httpx.stream(",
        `    "${request.method}",`,
        ...call,
        ") as response:",
        "    response.raise_for_status()",
        "    for line in response.iter_lines():",
        "        print(line)",
      ]
    : [
        ...imports,
        `response = httpx.${method}(`,
        ...call,
        ")",
        "response.raise_for_status()",
        "print(response.json())",
      ];
  return lines.join("\n");
}

function withoutContentType(request: SentRequest): Record<string, string> {
  const { "content-type": type, ...others } = headersOf(request);
  const isJson = request.body !== null && parsed(request.body) !== undefined;
  return type === undefined || isJson ? others : { ...others, "content-type": type };
}

function pythonBody(body: string | null): string[] {
  if (body === null) return [];
  const value = parsed(body);
  return value === undefined ? [`    content=${JSON.stringify(body)},`] : [`    json=${pythonLiteral(value, "    ")},`];
}

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}    `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const items = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, inner)}`);
  const flat = `${open}${items.join(", ")}${close}`;
  if (flat.length < 70 && !flat.includes("\n")) return flat;
  return `${open}\n${items.map((item) => `${inner}${item},`).join("\n")}\n${indent}${close}`;
}

function javascript(request: SentRequest, url: string, key: KeyForm): string {
  const keyValue = key.kind === "variable" ? "process.env.LP_KEY" : JSON.stringify(key.key);
  const value = request.body === null ? undefined : parsed(request.body);
  const body =
    request.body === null
      ? []
      : [`  body: ${value === undefined ? JSON.stringify(request.body) : `JSON.stringify(${indented(value)})`},`];
  const reading = request.streams
    ? [
        "for await (const text of response.body.pipeThrough(new TextDecoderStream())) {",
        "  console.log(text); // server-sent events: event: …, data: …",
        "}",
      ]
    : ["console.dir(await response.json(), { depth: null });"];
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: "${request.method}",`,
    "  headers: {",
    `    "x-api-key": ${keyValue},`,
    ...Object.entries(headersOf(request)).map(([name, value]) => `    "${name}": "${value}",`),
    "  },",
    ...body,
    "});",
    "if (!response.ok) throw new Error((await response.json()).detail);",
    ...reading,
  ].join("\n");
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A masked key for display. */
export function masked(key: string): string {
  return key.length < 20 ? "•".repeat(key.length) : `${key.slice(0, 12)}…${key.slice(-4)}`;
}
