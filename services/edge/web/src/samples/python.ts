import {
  ATTEMPTS,
  bracketed,
  type Call,
  indented,
  type KeyForm,
  LONGEST_WAIT_S,
  PREVIOUS_ANSWER,
  parsed,
  type Sample,
  TEMPORARY,
  TIMEOUT_S,
  words,
} from "./sample";

const STEP = "    ";

export function python({ calls, reads, key }: Sample): string {
  const modules = [
    ...(key.kind === "variable" ? ["os"] : []),
    ...(reads === "json after retries" ? ["random", "time"] : []),
  ];
  const program = calls.flatMap((call) => {
    if (reads === "events") return streaming(call, key);
    const send = [`response = httpx.${call.method.toLowerCase()}(`, ...indented(sent(call, key), STEP), ")"];
    return [...(reads === "json" ? send : retried(send)), "response.raise_for_status()"];
  });
  return [
    ...modules.map((name) => `import ${name}`),
    ...(modules.length > 0 ? [""] : []),
    "import httpx",
    "",
    ...program,
    ...(reads === "events" ? [] : ["print(response.json())"]),
  ].join("\n");
}

function sent(call: Call, key: KeyForm): string[] {
  const isJson = typeof call.body !== "string" || parsed(call.body) !== undefined; // httpx then sets the content type
  const headers = Object.entries(call.headers).filter(([name]) => name !== "content-type" || !isJson);
  const items = [
    `"x-api-key": ${key.kind === "variable" ? 'os.environ["LP_KEY"]' : JSON.stringify(key.key)}`,
    ...headers.map(([name, value]) => `"${name}": ${JSON.stringify(value)}`),
  ];
  return [
    `${JSON.stringify(call.url)},`,
    `headers=${bracketed("{", items, "}", "", STEP)},`,
    ...body(call.body),
    `timeout=${TIMEOUT_S},`,
  ];
}

function body(text: Call["body"]): string[] {
  if (text === null) return [];
  if (text === PREVIOUS_ANSWER) return ["json=response.json(),"];
  const value = parsed(text);
  return value === undefined ? [`content=${JSON.stringify(text)},`] : [`json=${literal(value, "")},`];
}

function retried(send: readonly string[]): string[] {
  return [
    `for attempt in range(1, ${ATTEMPTS + 1}):`,
    "    wait_s = 2**attempt + random.random()",
    "    try:",
    ...indented(send, STEP + STEP),
    `        if "retry-after" not in response.headers and response.status_code not in (${TEMPORARY}):`,
    "            break",
    '        wait_s = float(response.headers.get("retry-after", wait_s))',
    `    except httpx.TransportError:  # ${words().noAnswer}`,
    `        if attempt == ${ATTEMPTS}:`,
    "            raise",
    `    if wait_s > ${LONGEST_WAIT_S} or attempt == ${ATTEMPTS}:`,
    "        break",
    "    time.sleep(wait_s)",
  ];
}

function streaming(call: Call, key: KeyForm): string[] {
  return [
    'name = ""',
    "with httpx.stream(",
    `    "${call.method}",`,
    ...indented(sent(call, key), STEP),
    ") as response:",
    "    response.raise_for_status()",
    "    for line in response.iter_lines():",
    '        if line.startswith("event: "):',
    '            name = line.removeprefix("event: ")',
    '        if line.startswith("data: "):',
    `            print(name, line.removeprefix("data: "))  # ${words().dataAreJson}`,
    'if name != "done":',
    `    raise RuntimeError("${words().incomplete}")`,
  ];
}

function literal(value: unknown, indent: string): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = indent + STEP;
  return Array.isArray(value)
    ? bracketed("[", items(value, inner), "]", indent, STEP)
    : bracketed("{", members(value as object, inner), "}", indent, STEP);
}

function items(values: readonly unknown[], indent: string): string[] {
  return values.map((value) => literal(value, indent));
}

function members(value: object, indent: string): string[] {
  return Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${literal(member, indent)}`);
}
