// Prepares a request, sends it, and shows it as code. The key and the token stay in memory.
import { Button, NativeSelect, PasswordInput, Textarea } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { parametersOf } from "../../playground/requests";
import { SchemaFields } from "../../playground/SchemaFields";
import { parsed } from "../../samples/sample";
import { setApiKey, useApiKey } from "../../shell/apiKey";
import { useFormats } from "../../shell/format";
import { pageLanguage, useText } from "../../shell/language";
import { ErrorNotice } from "../../shell/states";
import { Code, SampleCode } from "../Code";
import { type Entry, exampleText } from "./description";
import { answerTypes, type Draft, firstDraft, type PreparedRequest, prepare, readingOf } from "./draft";
import styles from "./reference.module.css";
import { referenceTexts } from "./texts";

const TIMEOUT_MS = 60_000;
const MAX_SHOWN = 100_000;
const IS_TEXT = /json|text|event-stream/;
let keptToken = "";

interface Received {
  status: number;
  tookMs: number;
  size: number;
  /** Null if it is no text. */
  text: string | null;
  file: string | null;
}

/** The children with the form below them, beside the program that sends the request. */
export function TryIt({ entry, children }: { entry: Entry; children: ReactNode }) {
  const t = useText(referenceTexts);
  const [draft, setDraft] = useState(() => firstDraft(entry));
  const request = prepare(entry, draft);
  const reading = readingOf(draft);
  const types = answerTypes(entry);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  return (
    <div className={styles.request}>
      <div>
        {children}
        {entry.tag !== "page" && (
          <section className="lp-screen" aria-labelledby="try-it">
            <h3 id="try-it">{t.tryIt}</h3>
            <div className={styles.form}>
              <SchemaFields
                schema={parametersOf(entry)}
                schemas={{}}
                values={draft.values}
                onChange={(name, value) => change({ values: { ...draft.values, [name]: String(value ?? "") } })}
              />
              {types.length > 1 && (
                <NativeSelect
                  label="Accept"
                  description={t.places.header}
                  data={types}
                  value={draft.accept}
                  onChange={(event) => change({ accept: event.currentTarget.value })}
                />
              )}
            </div>
            <Body entry={entry} draft={draft} onChange={change} />
            <Sending entry={entry} request={request} />
          </section>
        )}
      </div>
      {entry.tag === "consumer" && reading !== null && <SampleCode calls={[callOf(request)]} reads={reading} />}
    </div>
  );
}

function Body({ entry, draft, onChange }: { entry: Entry; draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const t = useText(referenceTexts);
  const content = entry.operation.requestBody?.content;
  if (content === undefined) return null;
  const types = Object.keys(content);
  const examples = Object.entries(content[draft.bodyType]?.examples ?? {});
  return (
    <>
      <div className={styles.form}>
        {types.length > 1 && (
          <NativeSelect
            label={t.mediaType}
            data={types}
            value={draft.bodyType}
            onChange={(event) => {
              const bodyType = event.currentTarget.value;
              const [first] = Object.values(content[bodyType]?.examples ?? {});
              onChange({ bodyType, body: first ? exampleText(first.value) : "" });
            }}
          />
        )}
        {examples.length > 1 && (
          <NativeSelect
            label={t.example}
            data={examples.map(([name]) => name)}
            onChange={(event) => {
              const chosen = content[draft.bodyType]?.examples?.[event.currentTarget.value];
              if (chosen) onChange({ body: exampleText(chosen.value) });
            }}
          />
        )}
      </div>
      <Textarea
        label={t.body}
        className={styles.body}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        value={draft.body}
        onChange={(event) => onChange({ body: event.currentTarget.value })}
      />
    </>
  );
}

function Sending({ entry, request }: { entry: Entry; request: PreparedRequest }) {
  const t = useText(referenceTexts);
  const { number } = useFormats();
  const apiKey = useApiKey();
  const [token, setToken] = useState(keptToken);
  const [received, setReceived] = useState<Received | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  const inFlight = useRef<AbortController | null>(null);
  useEffect(() => () => inFlight.current?.abort(), []);
  useEffect(
    () => () => {
      if (received?.file) URL.revokeObjectURL(received.file);
    },
    [received],
  );
  const secret = entry.tag === "admin" ? token : apiKey;
  const needsSecret = entry.tag === "admin" || entry.tag === "consumer";
  const send = async () => {
    const controller = new AbortController();
    inFlight.current = controller;
    setSending(true);
    setError(null);
    setReceived(null);
    try {
      setReceived(await sent(request, entry.tag, secret, controller.signal));
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    } finally {
      setSending(false);
    }
  };
  const units = entry.operation["x-billing-units"];
  return (
    <>
      <div className={styles.sending}>
        {needsSecret && (
          <PasswordInput
            className={styles.secret}
            label={entry.tag === "admin" ? t.token : t.key}
            description={t.secretNote}
            autoComplete="off"
            value={secret}
            onChange={(event) => {
              const value = event.currentTarget.value.trim();
              if (entry.tag === "admin") {
                keptToken = value;
                setToken(value);
              } else setApiKey(value);
            }}
          />
        )}
        <Button onClick={() => void send()} loading={isSending} disabled={needsSecret && secret === ""}>
          {units ? `${t.send} · ${t.units(units, number(units))}` : t.send}
        </Button>
      </div>
      <div aria-live="polite">
        {error !== null && <ErrorNotice error={error} detail={String(error)} />}
        {received && <Answered received={received} />}
      </div>
    </>
  );
}

function Answered({ received: { status, tookMs, size, text, file } }: { received: Received }) {
  const t = useText(referenceTexts);
  const { number } = useFormats();
  return (
    <section aria-label={t.received}>
      <p className={styles.state}>{t.sent(String(status), number(Math.round(tookMs)))}</p>
      {text !== null && <Code text={text.slice(0, MAX_SHOWN)} label={t.received} />}
      {text !== null && text.length > MAX_SHOWN && <p>{t.shortened(number(text.length))}</p>}
      {file && (
        <p>
          {t.file(number(size))}{" "}
          <a href={file} download>
            {t.save}
          </a>
        </p>
      )}
    </section>
  );
}

async function sent(request: PreparedRequest, tag: string, secret: string, signal: AbortSignal): Promise<Received> {
  const credential: Record<string, string> =
    secret === "" ? {} : tag === "admin" ? { authorization: `Bearer ${secret}` } : { "x-api-key": secret };
  const startedAt = performance.now();
  const answer = await fetch(request.path, {
    method: request.method,
    headers: { "accept-language": pageLanguage(), ...request.headers, ...credential },
    body: request.body,
    cache: "no-store",
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const content = await answer.blob();
  const tookMs = performance.now() - startedAt;
  const type = answer.headers.get("content-type") ?? "";
  const isText = IS_TEXT.test(type) || content.size === 0;
  return {
    status: answer.status,
    tookMs,
    size: content.size,
    text: isText ? readable(await content.text(), type) : null,
    file: isText ? null : URL.createObjectURL(content),
  };
}

/** JSON with its members on lines of their own. */
function readable(text: string, type: string): string {
  if (!type.includes("json") || type.includes("ndjson")) return text;
  return JSON.stringify(parsed(text), null, 2) ?? text;
}

function callOf({ method, path, headers, body }: PreparedRequest) {
  return { method, url: location.origin + path, headers, body };
}
