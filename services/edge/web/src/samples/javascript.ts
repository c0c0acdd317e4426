import {
  ATTEMPTS,
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

const STEP = "  ";

export function javascript({ calls, reads, key }: Sample): string {
  const isConstant = calls.length === 1 && reads !== "json after retries";
  const program = calls.flatMap((call, index) => {
    const declared = isConstant ? "const response" : index === 0 && reads === "json" ? "let response" : "response";
    const send = [
      `${declared} = await fetch(${JSON.stringify(call.url)}, {`,
      ...indented(options(call, key), STEP),
      "});",
    ];
    return [
      ...(reads === "json after retries" ? retried(send) : send),
      "if (!response.ok) throw new Error((await response.json()).detail);",
    ];
  });
  return [
    ...program,
    ...(reads === "events" ? events() : ["console.dir(await response.json(), { depth: null });"]),
  ].join("\n");
}

function options(call: Call, key: KeyForm): string[] {
  return [
    `method: "${call.method}",`,
    "headers: {",
    `  "x-api-key": ${key.kind === "variable" ? "process.env.LP_KEY" : JSON.stringify(key.key)},`,
    ...Object.entries(call.headers).map(([name, value]) => `  "${name}": ${JSON.stringify(value)},`),
    "},",
    ...body(call.body),
    `signal: AbortSignal.timeout(${TIMEOUT_S}_000),`,
  ];
}

function body(text: Call["body"]): string[] {
  if (text === null) return [];
  if (text === PREVIOUS_ANSWER) return ["body: await response.text(),"];
  const value = parsed(text);
  return [`body: ${value === undefined ? JSON.stringify(text) : `JSON.stringify(${JSON.stringify(value, null, 2)})`},`];
}

function retried(send: readonly string[]): string[] {
  return [
    "let response;",
    `for (let attempt = 1; attempt <= ${ATTEMPTS}; attempt++) {`,
    "  let waitS = 2 ** attempt + Math.random();",
    "  try {",
    ...indented(send, STEP + STEP),
    '    const retryAfter = response.headers.get("retry-after");',
    `    if (retryAfter === null && ![${TEMPORARY}].includes(response.status)) break;`,
    "    waitS = Number(retryAfter ?? waitS);",
    "  } catch (error) {",
    `    if (attempt === ${ATTEMPTS}) throw error; // ${words().noAnswer}`,
    "  }",
    `  if (waitS > ${LONGEST_WAIT_S} || attempt === ${ATTEMPTS}) break;`,
    "  await new Promise((resume) => setTimeout(resume, waitS * 1000));",
    "}",
  ];
}

const events = (): readonly string[] => [
  'let name = "";',
  'let rest = "";',
  "for await (const text of response.body.pipeThrough(new TextDecoderStream())) {",
  '  const lines = (rest + text).split("\\n");',
  "  rest = lines.pop();",
  "  for (const line of lines) {",
  '    if (line.startsWith("event: ")) name = line.slice(7);',
  `    if (line.startsWith("data: ")) console.log(name, line.slice(6)); // ${words().dataAreJson}`,
  "  }",
  "}",
  `if (name !== "done") throw new Error("${words().incomplete}");`,
];
