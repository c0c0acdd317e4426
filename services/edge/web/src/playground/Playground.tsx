// The developer's view: a task, its request as it is sent, its answer as it came. The key stays in the memory of the document (shell/apiKey.ts).
import "../shell/fields.css";
import { PasswordInput } from "@mantine/core";
import { useMemo, useRef } from "react";
import { useDescription } from "../api/description";
import type { ResolveAnswer } from "../api/types";
import { entriesOf } from "../docs/reference/description";
import type { Draft } from "../docs/reference/draft";
import { setApiKey, useApiKey } from "../shell/apiKey";
import { useCurrentInSight } from "../shell/currentLink";
import { fragment, useAddress } from "../shell/fragment";
import { useLanguage, useText } from "../shell/language";
import { Page } from "../shell/Page";
import { ErrorBoundary, Notice, onDemand } from "../shell/states";
import { usePageTitle } from "../shell/title";
import { ViewChoice } from "../terrain/ViewChoice";
import { writeBody } from "./body";
import type { Subject } from "./dossier/Dossier";
import { dossierTexts } from "./dossier/texts";
import { FilePanel } from "./FilePanel";
import { fileTexts } from "./fileTexts";
import { type ParcelSelection, SelectionContext } from "./map/selection";
import styles from "./playground.module.css";
import { KEY_START, RequestPanel } from "./RequestPanel";
import { ResponsePanel } from "./ResponsePanel";
import {
  bodyOfResolved,
  callOf,
  FILE,
  isTask,
  parcelsIn,
  parcelsOf,
  requestOf,
  TASKS,
  type Task,
  takesParcels,
  withParcelToggled,
} from "./requests";
import { Snippets } from "./Snippets";
import { useSession } from "./session";
import { texts } from "./texts";

const DOSSIER = /^(geojson|divide)\/dossier$/;
const Dossier = onDemand(() => import("./dossier/Dossier"));

export default function Playground() {
  const t = useText(texts);
  const files = useText(fileTexts);
  const { language } = useLanguage();
  const dossier = useText(dossierTexts);
  const { data: description } = useDescription();
  const entries = useMemo(() => entriesOf(description ?? {}), [description]);
  const place = useAddress(fragment).slice(1);
  const dossierOf = (DOSSIER.exec(place)?.[1] ?? null) as Subject | null;
  const name: Task | typeof FILE = dossierOf ?? (isTask(place) || place === FILE ? place : "resolve");
  const titleOf = (id: Task | typeof FILE) => (id === FILE ? files.name : t.names[id]);
  const apiKey = useApiKey();
  const { drafts, exchanges, write, send, cancel } = useSession((task) => callOf(task, entries));
  const tasks = useCurrentInSight(name);
  const responseArea = useRef<HTMLDivElement>(null);

  usePageTitle(dossierOf ? dossier.name : titleOf(name), t.title);

  const start = (task: Task, asked: Draft) => {
    scrollToResponse(responseArea.current);
    void send(task, asked);
  };
  const use = (task: Task, answer: ResolveAnswer) => {
    location.hash = task;
    start(task, { ...drafts[task], body: bodyOfResolved(answer) });
  };

  const shown: Task = name === FILE ? "resolve" : name;
  const call = callOf(shown, entries);
  const draft = drafts[shown];
  const answered = exchanges[shown]?.json;
  const selection: ParcelSelection = {
    apiKey,
    ids: useMemo(() => [...parcelsOf(draft.body), ...parcelsIn(answered)], [draft.body, answered]),
    toggle: takesParcels(shown) ? (id) => write(shown, { body: withParcelToggled(draft.body, id) }) : undefined,
  };
  if (dossierOf !== null) {
    return (
      <Page current="playground">
        <ErrorBoundary fallback={() => <Notice tone="warning">{dossier.failed}</Notice>}>
          <Dossier
            subject={dossierOf}
            exchanges={exchanges}
            apiKey={apiKey}
            onRequest={(task, body) => start(task, { ...drafts[task], body: writeBody(body) })}
          />
        </ErrorBoundary>
      </Page>
    );
  }
  return (
    <Page current="playground" isWide>
      <header className={styles.title}>
        <h1>{t.title}</h1>
        <ViewChoice current="developer" />
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
          {[...(Object.keys(TASKS) as Task[]), FILE].map((id) => (
            <a key={id} href={`#${id}`} aria-current={id === name ? "true" : undefined}>
              {titleOf(id)}
            </a>
          ))}
        </nav>
      </div>
      {name === FILE ? (
        <div className={styles.columns}>
          <FilePanel apiKey={apiKey} />
        </div>
      ) : (
        <div className={styles.columns}>
          <div className={styles.requestArea}>
            <RequestPanel
              name={name}
              call={call}
              draft={draft}
              onDraft={(part) => write(name, part)}
              apiKey={apiKey}
              exchange={exchanges[name]}
              onSend={() => start(name, draft)}
              onCancel={() => cancel(name)}
            />
          </div>
          <div className={styles.responseArea} ref={responseArea}>
            <SelectionContext value={selection}>
              <ResponsePanel key={name} exchange={exchanges[name]} onUse={use} />
            </SelectionContext>
          </div>
          <div className={styles.snippetArea}>
            <Snippets request={requestOf(name, call, draft, language)} apiKey={apiKey} />
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
