// The page: an endpoint, its request, its answer. The key stays in the memory of the document (shell/apiKey.ts).
import { PasswordInput } from "@mantine/core";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ResolveAnswer } from "../api/types";
import { setApiKey, useApiKey } from "../shell/apiKey";
import { useCurrentInSight } from "../shell/currentLink";
import { fragment, useAddress } from "../shell/fragment";
import { useLanguage, useText } from "../shell/language";
import { Page } from "../shell/Page";
import { ErrorBoundary, Notice, onDemand } from "../shell/states";
import { usePageTitle } from "../shell/title";
import { writeBody } from "./body";
import type { Subject } from "./dossier/Dossier";
import { dossierTexts } from "./dossier/texts";
import { type Exchange, sendRequest } from "./exchange";
import { FilePanel } from "./FilePanel";
import { fileTexts } from "./fileTexts";
import { type ParcelSelection, SelectionContext } from "./map/selection";
import styles from "./playground.module.css";
import { KEY_START, RequestPanel } from "./RequestPanel";
import { ResponsePanel } from "./ResponsePanel";
import {
  bodyOfResolved,
  type Draft,
  type Drafts,
  ENDPOINT_IDS,
  type EndpointId,
  firstDrafts,
  isEndpointId,
  parcelsIn,
  parcelsOf,
  requestOf,
  takesParcels,
  withParcelToggled,
} from "./requests";
import { Snippets } from "./Snippets";
import { texts } from "./texts";

const FILE = "file";
/** What partners do. The other endpoints stand smaller behind them. */
const TASKS: readonly (EndpointId | typeof FILE)[] = ["resolve", "geojson", "divide", "search", FILE];
const DOSSIER = /^(geojson|divide)\/dossier$/;
const Dossier = onDemand(() => import("./dossier/Dossier"));

type Exchanges = Partial<Record<EndpointId, Exchange>>;

/** Drafts and answers while another page of the document is shown. */
const kept: { drafts: Drafts; exchanges: Exchanges } = { drafts: firstDrafts(), exchanges: {} };

export default function Playground() {
  const t = useText(texts);
  const files = useText(fileTexts);
  const { language } = useLanguage();
  const dossier = useText(dossierTexts);
  const { endpoint, isFile, dossierOf } = usePlace();
  const apiKey = useApiKey();
  const [drafts, setDrafts] = useState(kept.drafts);
  const [exchanges, setExchanges] = useState(kept.exchanges);
  const inFlight = useRef<Partial<Record<EndpointId, AbortController>>>({});
  const endpoints = useCurrentInSight(isFile ? "files" : endpoint);
  const responseArea = useRef<HTMLDivElement>(null);

  usePageTitle(dossierOf ? dossier.name : isFile ? files.name : t.names[endpoint], t.title);
  useEffect(() => {
    const ended = Object.entries(exchanges).filter(([, { tookMs }]) => tookMs !== null);
    Object.assign(kept, { drafts, exchanges: Object.fromEntries(ended) });
  }, [drafts, exchanges]);
  useEffect(() => {
    const all = inFlight.current;
    return () => {
      for (const controller of Object.values(all)) controller.abort();
    };
  }, []);

  const write = (target: EndpointId, part: Partial<Draft>) =>
    setDrafts((before) => ({ ...before, [target]: { ...before[target], ...part } }));

  const start = useCallback(
    async (target: EndpointId, draft: Draft) => {
      inFlight.current[target]?.abort();
      const controller = new AbortController();
      inFlight.current[target] = controller;
      scrollToResponse(responseArea.current);
      const request = requestOf(target, draft, language);
      const named = target === "divide" ? { ...request, idempotencyKey: crypto.randomUUID() } : request;
      await sendRequest(named, apiKey, controller.signal, (now) => {
        // Ignores the answer of a request that a newer one has replaced.
        if (inFlight.current[target] === controller) setExchanges((before) => ({ ...before, [target]: now }));
      });
    },
    [apiKey, language],
  );

  const use = (target: EndpointId, answer: ResolveAnswer) => {
    const draft = { ...drafts[target], body: bodyOfResolved(answer) };
    write(target, draft);
    location.hash = target;
    void start(target, draft);
  };

  const draft = drafts[endpoint];
  const answered = exchanges[endpoint]?.json;
  const selection: ParcelSelection = {
    apiKey,
    ids: useMemo(() => [...parcelsOf(draft.body), ...parcelsIn(answered)], [draft.body, answered]),
    toggle: takesParcels(endpoint)
      ? (id) => write(endpoint, { body: withParcelToggled(drafts[endpoint].body, id) })
      : undefined,
  };
  if (dossierOf !== null) {
    return (
      <Page current="playground">
        <ErrorBoundary fallback={() => <Notice tone="warning">{dossier.failed}</Notice>}>
          <Dossier
            subject={dossierOf}
            exchanges={exchanges}
            apiKey={apiKey}
            onRequest={(target, body) => {
              const asked = { ...drafts[target], body: writeBody(body) };
              write(target, asked);
              void start(target, asked);
            }}
          />
        </ErrorBoundary>
      </Page>
    );
  }
  const link = (id: EndpointId | typeof FILE) => (
    <a key={id} href={`#${id}`} aria-current={id === (isFile ? FILE : endpoint) ? "true" : undefined}>
      {id === FILE ? files.name : t.names[id]}
    </a>
  );
  return (
    <Page current="playground" isWide>
      <header className={styles.title}>
        <h1>{t.title}</h1>
        <PasswordInput
          className={styles.key}
          label={t.key}
          description={t.keyHint}
          value={apiKey}
          onChange={(event) => setApiKey(event.currentTarget.value.trim())}
          error={apiKey !== "" && !KEY_START.test(apiKey) ? t.keyForm : undefined}
          placeholder="lp_live_…"
          autoComplete="off"
          data-1p-ignore
          data-lpignore="true"
          spellCheck={false}
        />
      </header>
      <nav className={styles.endpoints} aria-label={t.endpoints} ref={endpoints}>
        {TASKS.map(link)}
        <span className={styles.others}>{t.others}</span>
        {ENDPOINT_IDS.filter((id) => !TASKS.includes(id)).map(link)}
      </nav>
      {isFile ? (
        <div className={styles.columns}>
          <FilePanel apiKey={apiKey} />
        </div>
      ) : (
        <div className={styles.columns}>
          <div className={styles.requestArea}>
            <RequestPanel
              endpoint={endpoint}
              draft={draft}
              onDraft={(part) => write(endpoint, part)}
              apiKey={apiKey}
              exchange={exchanges[endpoint]}
              onSend={() => void start(endpoint, draft)}
              onCancel={() => inFlight.current[endpoint]?.abort()}
            />
          </div>
          <div className={styles.responseArea} ref={responseArea}>
            <SelectionContext value={selection}>
              <ResponsePanel key={endpoint} exchange={exchanges[endpoint]} onUse={use} />
            </SelectionContext>
          </div>
          <div className={styles.snippetArea}>
            <Snippets request={requestOf(endpoint, draft, language)} apiKey={apiKey} />
          </div>
        </div>
      )}
    </Page>
  );
}

/** Scrolls to the top of the answer, unless the upper half of the window shows it. */
function scrollToResponse(area: HTMLElement | null): void {
  if (area === null) return;
  const { top } = area.getBoundingClientRect();
  const hidden = Number.parseFloat(getComputedStyle(area).scrollMarginTop); // under the header
  if (top < hidden || top > innerHeight / 2) area.scrollIntoView({ block: "start" });
}

interface Place {
  endpoint: EndpointId;
  /** Whether the page of files is shown instead. */
  isFile: boolean;
  /** The answer whose dossier is shown instead. */
  dossierOf: Subject | null;
}

/** The place in the fragment of the address, for links. */
function usePlace(): Place {
  const name = useAddress(fragment).slice(1);
  const dossierOf = (DOSSIER.exec(name)?.[1] ?? null) as Subject | null;
  return { endpoint: dossierOf ?? (isEndpointId(name) ? name : "resolve"), isFile: name === FILE, dossierOf };
}
