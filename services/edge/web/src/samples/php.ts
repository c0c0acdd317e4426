// PHP 8 without extensions: the curl extension is not installed everywhere.
import {
  ATTEMPTS,
  bracketed,
  type Call,
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

export function php({ calls, reads, key }: Sample): string {
  const program = calls.flatMap((call) => {
    const open = `fopen(${quoted(call.url)}, 'r', false, $context)`;
    const send = [
      ...context(call, key),
      `$response = ${open} or throw new RuntimeException('${words().noAnswer}');`,
      "$headers = stream_get_meta_data($response)['wrapper_data'];",
      "$status = (int) explode(' ', $headers[0])[1];",
    ];
    return [
      ...(reads === "json after retries" ? retried(context(call, key), open) : send),
      "if ($status !== 200) {",
      `    throw new RuntimeException(${reads === "json after retries" ? `$response ? stream_get_contents($response) : '${words().noAnswer}'` : "stream_get_contents($response)"});`,
      "}",
    ];
  });
  const reading = reads === "events" ? events() : ["print_r(json_decode(stream_get_contents($response), true));"];
  return ["<?php", ...program, ...reading].join("\n");
}

function context(call: Call, key: KeyForm): string[] {
  const headers = [
    key.kind === "variable" ? "'x-api-key: ' . getenv('LP_KEY')" : quoted(`x-api-key: ${key.key}`),
    ...Object.entries(call.headers).map(([name, value]) => quoted(`${name}: ${value}`)),
  ];
  return [
    "$context = stream_context_create(['http' => [",
    `    'method' => '${call.method}',`,
    `    'header' => ${bracketed("[", headers, "]", STEP, STEP)},`,
    ...body(call.body),
    `    'timeout' => ${TIMEOUT_S},`,
    `    'ignore_errors' => true, // ${words().errorsHaveBody}`,
    "]]);",
  ];
}

function body(text: Call["body"]): string[] {
  if (text === null) return [];
  if (text === PREVIOUS_ANSWER) return ["    'content' => stream_get_contents($response),"];
  const value = parsed(text);
  return [`    'content' => ${value === undefined ? quoted(text) : `json_encode(${literal(value, STEP)})`},`];
}

function retried(made: readonly string[], open: string): string[] {
  return [
    ...made,
    `for ($attempt = 1; $attempt <= ${ATTEMPTS}; $attempt++) {`,
    `    $response = @${open}; // false: ${words().noAnswer}`,
    "    $headers = $response ? stream_get_meta_data($response)['wrapper_data'] : ['HTTP/1.1 504'];",
    "    $status = (int) explode(' ', $headers[0])[1];",
    "    $retryAfter = preg_grep('/^retry-after:/i', $headers);",
    `    if (!$retryAfter && !in_array($status, [${TEMPORARY}])) {`,
    "        break;",
    "    }",
    "    $waitS = $retryAfter ? (int) explode(':', end($retryAfter))[1] : 2 ** $attempt + lcg_value();",
    `    if ($waitS > ${LONGEST_WAIT_S} || $attempt === ${ATTEMPTS}) {`,
    "        break;",
    "    }",
    "    usleep((int) ($waitS * 1_000_000));",
    "}",
  ];
}

const events = (): readonly string[] => [
  "$name = '';",
  "while (($line = fgets($response)) !== false) {",
  "    if (str_starts_with($line, 'event: ')) {",
  "        $name = trim(substr($line, 7));",
  "    }",
  "    if (str_starts_with($line, 'data: ')) {",
  `        echo $name, ' ', substr($line, 6); // ${words().dataAreJson}`,
  "    }",
  "}",
  "if ($name !== 'done') {",
  `    throw new RuntimeException('${words().incomplete}');`,
  "}",
];

function literal(value: unknown, indent: string): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = indent + STEP;
  if (Array.isArray(value)) {
    return bracketed(
      "[",
      value.map((item) => literal(item, inner)),
      "]",
      indent,
      STEP,
    );
  }
  const members = Object.entries(value).map(([name, member]) => `${quoted(name)} => ${literal(member, inner)}`);
  // json_encode makes a list of an array that is empty or has numbers as names
  const open = Object.keys(value).every((name) => /^\d+$/.test(name)) ? "(object) [" : "[";
  return bracketed(open, members, "]", indent, STEP);
}

/** A text in single quotes, in which PHP replaces no variable. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
