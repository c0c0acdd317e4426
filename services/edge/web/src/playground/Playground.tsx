// The developer's view of what the page for people sends: the request, its code, and the answer as it came.
import "../shell/fields.css";
import { Button } from "@mantine/core";
import { useMemo, useRef } from "react";
import { useDescription } from "../api/description";
import type { ResolveAnswer } from "../api/types";
import { SampleCode } from "../docs/Code";
import { entriesOf, schemasOf } from "../docs/reference/description";
import { readingOf } from "../docs/reference/draft";
import { useCurrentInSight } from "../shell/currentLink";
import { fragment, useAddress } from "../shell/fragment";
import { useLanguage, useText } from "../shell/language";
import { Page } from "../shell/Page";
import { Empty } from "../shell/states";
import { usePageTitle } from "../shell/title";
import { ViewChoice } from "../terrain/ViewChoice";
import { ExchangeView } from "./ExchangeView";
import { sampleOf } from "./exchange";
import styles from "./playground.module.css";
import { RequestForm } from "./RequestForm";
import { bodyOfResolved, callOf, isTask, requestOf, TASKS, type Task } from "./requests";
import { KeyField } from "./SecretField";
import { useSession } from "./session";
import { texts } from "./texts";

export default function Playground() {
  const t = useText(texts);
  const { language } = useLanguage();
  const { data: description = {} } = useDescription();
  const entries = useMemo(() => entriesOf(description), [description]);
  const place = useAddress(fragment).slice(1);
  const task: Task = isTask(place) ? place : "resolve";
  const { drafts, exchanges, write, send, cancel } = useSession((each) => callOf(each, entries));
  const tasks = useCurrentInSight(task);
  const [call, draft, exchange] = [callOf(task, entries), drafts[task], exchanges[task]];
  const reading = readingOf(draft);
  const answerArea = useRef<HTMLDivElement>(null);
  usePageTitle(t.names[task], t.title);
  const use = (next: Task) => {
    location.hash = next;
    void send(next, { ...drafts[next], body: bodyOfResolved(exchange?.json as ResolveAnswer) });
  };
  return (
    <Page current="playground" isWide>
      <header className={styles.title}>
        <h1>{t.title}</h1>
        <ViewChoice current="developer" />
      </header>
      <nav className={styles.tasks} aria-label={t.tasks} ref={tasks}>
        {(Object.keys(TASKS) as Task[]).map((id) => (
          <a key={id} href={`#${id}`} aria-current={id === task ? "true" : undefined}>
            {t.names[id]}
          </a>
        ))}
      </nav>
      <div className={styles.columns}>
        <div className={styles.panel}>
          <RequestForm
            key={task}
            title={
              <p className={styles.operation}>
                <span data-method={call.method}>{call.method}</span> <code>{call.path}</code>
              </p>
            }
            secret={<KeyField isTried={exchange !== undefined} />}
            call={call}
            schemas={schemasOf(description)}
            draft={draft}
            onDraft={(part) => write(task, part)}
            exchange={exchange}
            onSend={() => {
              scrollToAnswer(answerArea.current);
              void send(task, draft);
            }}
            onCancel={() => cancel(task)}
            isOpen
          />
          {reading !== null && (
            <section aria-label={t.snippets}>
              <SampleCode calls={[sampleOf(requestOf(call, draft, language))]} reads={reading} />
            </section>
          )}
        </div>
        <div className={`${styles.panel} ${styles.answerArea}`} ref={answerArea}>
          {exchange === undefined ? (
            <Empty icon="right" title={t.nothingYet}>
              {t.nothingYetDetail}
            </Empty>
          ) : (
            <ExchangeView key={task} exchange={exchange} />
          )}
          {task === "resolve" && exchange?.status === 200 && exchange.json !== undefined && (
            <div className={styles.send}>
              <Button onClick={() => use("geojson")}>{t.useInGeojson}</Button>
              <Button variant="default" onClick={() => use("divide")}>
                {t.useInDivide}
              </Button>
            </div>
          )}
        </div>
      </div>
    </Page>
  );
}

/** Scrolls to the top of the answer, unless the upper half of the window shows it. */
function scrollToAnswer(area: HTMLElement | null): void {
  const top = area?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > innerHeight / 2) area?.scrollIntoView({ block: "start" });
}
