// Makes one call, which standard input names, and prints what comes back: for tests/clients/test_typescript.py.
import { text } from "node:stream/consumers";
import { LandPartner } from "../src/index.js";

interface Call {
  url: string;
  key: string;
  method: string;
  arguments: unknown[];
  options?: object;
}

const call = JSON.parse(await text(process.stdin)) as Call;
const client = new LandPartner(call.url, { apiKey: call.key, language: "en", ...call.options });
try {
  const methods = client as unknown as Record<string, (...args: unknown[]) => unknown>;
  const result = methods[call.method]?.(...call.arguments);
  process.stdout.write(JSON.stringify({ result: isIterable(result) ? await listOf(result) : await result }));
} catch (error) {
  const { name, code, status } = error as { name: string; code?: string; status?: number };
  process.stdout.write(JSON.stringify({ error: { name, code, status } }));
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function listOf(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}
