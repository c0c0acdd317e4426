// The page: a task or another operation, its request, its answer. The key stays in the memory of the document (shell/apiKey.ts).
import { PasswordInput, Select } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { useDescription } from "../api/description";
import type { ResolveAnswer } from "../api/types";
import { entriesOf } from "../docs/reference/description";
import { type Draft, firstDraft } from "../docs/reference/draft";
import { setApiKey, useApiKey } from "../shell/apiKey";
import { useCurrentInSight } from "../shell/currentLink";
import { fragment, useAddress } from "../shell/fragment";
import { useLanguage, useText } from "../shell/language";
import { Page } from "../shell/Page";
import { ErrorBoundary, Loading, Notice, onDemand } from "../shell/states";
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
  callOf,
  type Drafts,
  FILE,
  firstDrafts,
  isTask,
  nameIn,
  parcelsIn,
  parcelsOf,
  requestOf,
  TASKS,
  takesParcels,
  withParcelToggled,
} from "./requests";
import { Snippets } from "./Snippets";
import { texts } from "./texts";

const DOSSIER = /^(geojson|divide)\/dossier$/;
const Dossier = onDemand(() => import("./dossier/Dossier"));

type Exchanges = Record<string, Exchange>;

/** Drafts and answers while another page of the document is shown. */
const kept: { drafts: Drafts; exchanges: Exchanges } = { drafts: firstDrafts(), exchanges: {} };

export default function Playground() {
  const t = useText(texts);
  const files = useText(fileTexts);
  const { language } = useLanguage();
  const dossier = useText(dossierTexts);
  const { data: description } = useDescription();
  const entries = useMemo(() => entriesOf(description ?? {}), [description]);
  const place = useAddress(fragment).slice(1);
  const dossierOf = (DOSSIER.exec(place)?.[1] ?? null) as Subject | null;
  const isKnown = place === FILE || callOf(place, entries) !== undefined || (place !== "" && description === undefined);
  const name = dossierOf ?? (isKnown ? place : "resolve");
  const call = callOf(name, entries);
  const others = [...new Set(entries.flatMap((entry) => nameIn(entry) ?? []))].filter(
    (id) => id !== FILE && !isTask(id),
  );
  const titleOf = (id: string) =>
    id === FILE ? files.name : isTask(id) ? t.names[id] : (callOf(id, entries)?.operation.summary ?? id);
  const apiKey = useApiKey();
  const [drafts, setDrafts] = useState(kept.drafts);
  const [exchanges, setExchanges] = useState(kept.exchanges);
  const inFlight = useRef<Record<string, AbortController>>({});
  const tasks = useCurrentInSight(name);
  const responseArea = useRef<HTMLDivElement>(null);

  usePageTitle(dossierOf ? dossier.name : titleOf(name), t.title);
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

  const draftOf = (target: string, from = drafts) =>
    from[target] ?? firstDraft(callOf(target, entries) ?? { operation: {} });
  const write = (target: string, part: Partial<Draft>) =>
    setDrafts((before) => ({ ...before, [target]: { ...draftOf(target, before), ...part } }));

  const start = async (target: string, asked: Draft) => {
    const targetCall = callOf(target, entries);
    if (targetCall === undefined) return;
    inFlight.current[target]?.abort();
    const controller = new AbortController();
    inFlight.current[target] = controller;
    scrollToResponse(responseArea.current);
    const request = requestOf(target, targetCall, asked, language);
    const named = target === "divide" ? { ...request, idempotencyKey: crypto.randomUUID() } : request;
    await sendRequest(named, apiKey, controller.signal, (now) => {
      // Ignores the answer of a request that a newer one has replaced.
      if (inFlight.current[target] === controller) setExchanges((before) => ({ ...before, [target]: now }));
    });
  };

  const use = (target: string, answer: ResolveAnswer) => {
    const asked = { ...draftOf(target), body: bodyOfResolved(answer) };
    write(target, asked);
    location.hash = target;
    void start(target, asked);
  };

  const draft = draftOf(name);
  const answered = exchanges[name]?.json;
  const selection: ParcelSelection = {
    apiKey,
    ids: useMemo(() => [...parcelsOf(draft.body), ...parcelsIn(answered)], [draft.body, answered]),
    toggle: takesParcels(name) ? (id) => write(name, { body: withParcelToggled(draft.body, id) }) : undefined,
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
              const asked = { ...draftOf(target), body: writeBody(body) };
              write(target, asked);
              void start(target, asked);
            }}
          />
        </ErrorBoundary>
      </Page>
    );
  }
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
      <div className={styles.choice}>
        <nav className={styles.tasks} aria-label={t.tasks} ref={tasks}>
          {[...Object.keys(TASKS), FILE].map((id) => (
            <a key={id} href={`#${id}`} aria-current={id === name ? "true" : undefined}>
              {titleOf(id)}
            </a>
          ))}
        </nav>
        <Select
          className={styles.others}
          aria-label={t.others}
          placeholder={t.others}
          searchable
          value={isTask(name) || name === FILE ? null : name}
          onChange={(id) => {
            if (id !== null) location.hash = id;
          }}
          data={others.map((id) => ({ value: id, label: titleOf(id) }))}
        />
      </div>
      {name === FILE && (
        <div className={styles.columns}>
          <FilePanel apiKey={apiKey} />
        </div>
      )}
      {name !== FILE && call === undefined && <Loading />}
      {name !== FILE && call !== undefined && (
        <div className={styles.columns}>
          <div className={styles.requestArea}>
            <RequestPanel
              name={name}
              call={call}
              draft={draft}
              onDraft={(part) => write(name, part)}
              apiKey={apiKey}
              exchange={exchanges[name]}
              onSend={() => void start(name, draft)}
              onCancel={() => inFlight.current[name]?.abort()}
            />
          </div>
          <div className={styles.responseArea} ref={responseArea}>
            <SelectionContext value={selection}>
              <ResponsePanel key={name} exchange={exchanges[name]} onUse={use} />
            </SelectionContext>
          </div>
          <div className={styles.snippetArea}>
            {call.method !== "DELETE" && <Snippets request={requestOf(name, call, draft, language)} apiKey={apiKey} />}
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
