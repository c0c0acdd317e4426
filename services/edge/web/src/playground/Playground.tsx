// The page: an endpoint, its request, its answer. The key is stored only in this component's state.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ResolveAnswer } from "../api/types";
import { useLanguage, useText } from "../shell/language";
import { mountPage } from "../shell/mount";
import { Page } from "../shell/Page";
import { type Exchange, sendRequest } from "./exchange";
import { FilePanel } from "./FilePanel";
import { fileTexts } from "./fileTexts";
import { type ParcelSelection, SelectionContext } from "./map/selection";
import styles from "./playground.module.css";
import { RequestPanel } from "./RequestPanel";
import { ResponsePanel } from "./ResponsePanel";
import {
  bodyOfResolved,
  type Draft,
  ENDPOINT_IDS,
  ENDPOINTS,
  type EndpointId,
  firstDrafts,
  isEndpointId,
  parcelsOf,
  requestOf,
  takesParcels,
  withParcelToggled,
} from "./requests";
import { Snippets } from "./Snippets";
import { texts } from "./texts";

const FILE = "file";

type Exchanges = Partial<Record<EndpointId, Exchange>>;

function Playground() {
  const t = useText(texts);
  const files = useText(fileTexts);
  const { language } = useLanguage();
  const { endpoint, isFile } = usePlace();
  const [apiKey, setKey] = useState("");
  const [drafts, setDrafts] = useState(firstDrafts);
  const [exchanges, setExchanges] = useState<Exchanges>({});
  const inFlight = useRef<Partial<Record<EndpointId, AbortController>>>({});
  const endpoints = useRef<HTMLElement>(null);
  const responseArea = useRef<HTMLDivElement>(null);

  useEffect(() => {
    document.title = t.title;
  }, [t.title]);
  useEffect(() => {
    const all = inFlight.current;
    return () => {
      for (const controller of Object.values(all)) controller.abort();
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each endpoint
  useEffect(() => {
    endpoints.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [endpoint]);

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
  const selection: ParcelSelection = {
    apiKey,
    ids: useMemo(() => parcelsOf(draft.body), [draft.body]),
    toggle: takesParcels(endpoint)
      ? (id) => write(endpoint, { body: withParcelToggled(drafts[endpoint].body, id) })
      : undefined,
  };
  return (
    <Page current="playground" isWide>
      <header className={styles.title}>
        <h1>{t.title}</h1>
        <p>{t.intro}</p>
      </header>
      <nav className={styles.endpoints} aria-label={t.endpoints} ref={endpoints}>
        {ENDPOINT_IDS.map((id) => (
          <a key={id} href={`#${id}`} aria-current={id === endpoint && !isFile ? "true" : undefined}>
            <span className={styles.method} data-method={ENDPOINTS[id].method}>
              {ENDPOINTS[id].method}
            </span>
            {t.names[id]}
          </a>
        ))}
        <a href={`#${FILE}`} aria-current={isFile ? "true" : undefined}>
          <span className={styles.method} data-method="POST">
            POST
          </span>
          {files.name}
        </a>
      </nav>
      {isFile ? (
        <div className={styles.columns}>
          <FilePanel apiKey={apiKey} onKey={setKey} />
        </div>
      ) : (
        <div className={styles.columns}>
          <div className={styles.requestArea}>
            <RequestPanel
              endpoint={endpoint}
              draft={draft}
              onDraft={(part) => write(endpoint, part)}
              apiKey={apiKey}
              onKey={setKey}
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

/** Scrolls to the answer if it is below the request, as on a phone. */
function scrollToResponse(area: HTMLElement | null): void {
  if (area !== null && area.getBoundingClientRect().top > innerHeight / 2) area.scrollIntoView({ block: "start" });
}

interface Place {
  endpoint: EndpointId;
  /** Whether the page of files is shown instead. */
  isFile: boolean;
}

/** The place in the fragment of the address, for links. */
function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace);
  useEffect(() => {
    const follow = () => setPlace(currentPlace());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}

function currentPlace(): Place {
  const name = location.hash.slice(1);
  return { endpoint: isEndpointId(name) ? name : "resolve", isFile: name === FILE };
}

mountPage(<Playground />);
