// Prepares a request of the reference, sends it, and shows it as code. The key and the token stay in memory.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ExchangeView } from "../../playground/ExchangeView";
import { type Exchange, sampleOf, sendRequest } from "../../playground/exchange";
import { RequestForm } from "../../playground/RequestForm";
import { requestOf } from "../../playground/requests";
import { KeyField, SecretField } from "../../playground/SecretField";
import { useApiKey } from "../../shell/apiKey";
import { useLanguage, useText } from "../../shell/language";
import { SampleCode } from "../Code";
import type { Entry, Schemas } from "./description";
import { type Draft, firstDraft, readingOf } from "./draft";
import styles from "./reference.module.css";
import { referenceTexts } from "./texts";

let keptToken = "";

/** The children with the form below them, beside the program that sends the request. */
export function TryIt({ entry, schemas, children }: { entry: Entry; schemas: Schemas; children: ReactNode }) {
  const t = useText(referenceTexts);
  const { language } = useLanguage();
  const apiKey = useApiKey();
  const [token, setToken] = useState(keptToken);
  const [draft, setDraft] = useState(() => firstDraft(entry));
  const [exchange, setExchange] = useState<Exchange>();
  const inFlight = useRef<AbortController | null>(null);
  useEffect(() => () => inFlight.current?.abort(), []);
  const isAdmin = entry.tag === "admin";
  const request = requestOf(entry, draft, language);
  const reading = readingOf(draft);
  const send = () => {
    const controller = new AbortController();
    inFlight.current = controller;
    const headers = isAdmin && token !== "" ? { authorization: `Bearer ${token}` } : {};
    const key = entry.tag === "consumer" ? apiKey : "";
    void sendRequest({ ...request, headers: { ...request.headers, ...headers } }, key, controller.signal, setExchange);
  };
  const keepToken = (secret: string) => {
    keptToken = secret;
    setToken(secret);
  };
  return (
    <div className={styles.request}>
      <div>
        {children}
        {entry.tag !== "page" && (
          <section className="lp-screen">
            <RequestForm
              title={<h3>{t.tryIt}</h3>}
              secret={
                isAdmin ? (
                  <SecretField label={t.token} value={token} onChange={keepToken} />
                ) : (
                  entry.tag === "consumer" && <KeyField isTried={exchange !== undefined} />
                )
              }
              call={entry}
              schemas={schemas}
              draft={draft}
              onDraft={(part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))}
              exchange={exchange}
              onSend={send}
              onCancel={() => inFlight.current?.abort()}
            />
            {exchange && <ExchangeView exchange={exchange} />}
          </section>
        )}
      </div>
      {entry.tag === "consumer" && reading !== null && <SampleCode calls={[sampleOf(request)]} reads={reading} />}
    </div>
  );
}
