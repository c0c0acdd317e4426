// The answer: status, time, size and limits, then tabs for views, JSON, events and headers.
import { Button, SegmentedControl, Tabs } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Division, LandUnit, ParcelsAnswer, Problem, ResolveAnswer } from "../api/types";
import { CopyButton } from "../shell/CopyButton";
import { useFormats } from "../shell/format";
import { useText } from "../shell/language";
import { Empty, ErrorBoundary, Notice } from "../shell/states";
import { saveDivision } from "./divisionFiles";
import { dossierTexts } from "./dossier/texts";
import { type Exchange, rateLimits } from "./exchange";
import { JsonTree } from "./JsonTree";
import styles from "./playground.module.css";
import { takesParcels } from "./requests";
import type { StreamEvent } from "./stream";
import { texts } from "./texts";
import { DataTable } from "./views/components";
import { DivisionView } from "./views/DivisionView";
import { LandUnitView } from "./views/LandUnitView";
import { ParcelsView } from "./views/ParcelsView";
import { type OnUse, ResolveView } from "./views/ResolveView";

export function ResponsePanel({ exchange, onUse }: { exchange: Exchange | undefined; onUse: OnUse }) {
  const t = useText(texts);
  if (exchange === undefined || (exchange.phase === "sending" && exchange.status === null)) {
    return (
      <section className={styles.panel} aria-label={t.response}>
        {exchange === undefined ? (
          <Empty icon="right" title={t.nothingYet}>
            {t.nothingYetDetail}
          </Empty>
        ) : (
          <Waiting />
        )}
      </section>
    );
  }
  return (
    <section className={styles.panel} aria-label={t.response}>
      {exchange.status !== null && <StatusLine exchange={exchange} />}
      <PhaseNotice exchange={exchange} />
      {exchange.problem && <ProblemView problem={exchange.problem} retryAfter={headerOf(exchange, "retry-after")} />}
      {exchange.status !== null && <ResponseTabs exchange={exchange} onUse={onUse} />}
    </section>
  );
}

function Waiting() {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}

function PhaseNotice({ exchange }: { exchange: Exchange }) {
  const t = useText(texts);
  switch (exchange.phase) {
    case "cancelled":
      return <Notice tone="warning">{t.cancelledDetail}</Notice>;
    case "unreachable":
      return (
        <Notice tone="warning">
          <strong>{t.phases.unreachable}</strong>
          <p>{t.unreachableDetail}</p>
        </Notice>
      );
    case "interrupted":
      return <Notice tone="warning">{t.interruptedDetail}</Notice>;
    default:
      return null;
  }
}

function StatusLine({ exchange }: { exchange: Exchange }) {
  const t = useText(texts);
  const { milliseconds, number } = useFormats();
  const { status, tookMs, waitedMs, sizeBytes } = exchange;
  const size =
    sizeBytes < 1024
      ? `${number(sizeBytes)} ${t.bytes}`
      : `${number(Math.round(sizeBytes / 102.4) / 10)} ${t.kilobytes}`;
  const family = status === null ? 0 : Math.floor(status / 100);
  return (
    <dl className={styles.statusLine}>
      <div>
        <dt>{t.status}</dt>
        <dd className={styles.status} data-family={family} data-testid="status">
          {status}
        </dd>
      </div>
      <div>
        <dt>{t.latency}</dt>
        <dd title={t.latencyDetail(milliseconds(waitedMs))}>{milliseconds(tookMs ?? waitedMs)}</dd>
      </div>
      <div>
        <dt>{t.size}</dt>
        <dd>{size}</dd>
      </div>
      <div>
        <dt>{t.requestId}</dt>
        <dd>
          <code>{headerOf(exchange, "x-request-id") ?? "–"}</code>
        </dd>
      </div>
    </dl>
  );
}

function ResponseTabs({ exchange, onUse }: { exchange: Exchange; onUse: OnUse }) {
  const t = useText(texts);
  const dossier = useText(dossierTexts);
  const { json, streamed, problem } = exchange;
  const value = json ?? streamed?.division;
  const isAnswer = exchange.status === 200 && value !== undefined && (problem === null || streamed !== null);
  const overview = isAnswer ? overviewOf(exchange, value, onUse) : null;
  const hasDossier = exchange.phase === "done" && overview !== null && takesParcels(exchange.request.name);
  const first = overview !== null ? "overview" : value === undefined ? "headers" : "json";
  const [tab, setTab] = useState<string | null>(null);
  return (
    <>
      {hasDossier && (
        <Button component="a" href={`#${exchange.request.name}/dossier`} variant="default" className="lp-screen">
          {dossier.open}
        </Button>
      )}
      <Tabs value={tab ?? first} onChange={setTab} keepMounted={false} classNames={{ list: styles.tabs ?? "" }}>
        <Tabs.List>
          {overview !== null && <Tabs.Tab value="overview">{t.overview}</Tabs.Tab>}
          {value !== undefined && <Tabs.Tab value="json">{t.json}</Tabs.Tab>}
          {streamed && <Tabs.Tab value="events">{`${t.events} (${streamed.events.length})`}</Tabs.Tab>}
          <Tabs.Tab value="headers">{t.headers}</Tabs.Tab>
        </Tabs.List>
        {overview !== null && (
          <Tabs.Panel value="overview">
            {/* An answer of unknown shape is shown as JSON. */}
            <ErrorBoundary key={exchange.text} fallback={() => <JsonTree value={value} />}>
              {overview}
            </ErrorBoundary>
          </Tabs.Panel>
        )}
        {value !== undefined && (
          <Tabs.Panel value="json">
            <Json value={value} />
          </Tabs.Panel>
        )}
        {streamed && (
          <Tabs.Panel value="events">
            <Events events={streamed.events} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="headers">
          <Headers exchange={exchange} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** The view of an answer; null of one that is shown as JSON only. */
function overviewOf(exchange: Exchange, value: unknown, onUse: OnUse): ReactNode {
  switch (exchange.request.name) {
    case "resolve":
      return <ResolveView answer={value as ResolveAnswer} onUse={onUse} />;
    case "geojson":
      return <LandUnitView unit={value as LandUnit} />;
    case "divide":
      return (
        <DivisionView
          division={value as Division}
          streamed={exchange.streamed}
          isWriting={exchange.phase === "receiving"}
          saveFile={(form, rank) => saveDivision(exchange, form, rank)}
        />
      );
    case "search":
      return <ParcelsView answer={value as ParcelsAnswer} />;
  }
}

function Json({ value }: { value: unknown }) {
  const t = useText(texts);
  const [view, setView] = useState("tree");
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      <div className={styles.toolbar}>
        <SegmentedControl
          size="xs"
          aria-label={t.jsonView}
          value={view}
          onChange={setView}
          data={[
            { value: "tree", label: t.tree },
            { value: "text", label: t.text },
          ]}
        />
        <CopyButton text={text} label={t.copyJson} />
      </div>
      {view === "tree" ? (
        <JsonTree value={value} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className={styles.text} tabIndex={0}>
          {text}
        </pre>
      )}
    </>
  );
}

function Events({ events }: { events: readonly StreamEvent[] }) {
  const t = useText(texts);
  const { milliseconds } = useFormats();
  return (
    <DataTable
      label={t.events}
      rows={events}
      rowKey={(_, index) => String(index)}
      columns={[
        { title: t.eventAt, isNumber: true, cell: (row) => milliseconds(row.atMs) },
        { title: t.event, cell: (row) => <code>{row.name}</code> },
        { title: t.data, cell: (row) => <code className={styles.eventData}>{JSON.stringify(row.data)}</code> },
      ]}
    />
  );
}

function Headers({ exchange }: { exchange: Exchange }) {
  const t = useText(texts);
  const limits = rateLimits(headerOf(exchange, "ratelimit-policy"), headerOf(exchange, "ratelimit"));
  return (
    <div className={styles.headers}>
      {limits.length > 0 && (
        <section>
          <h3>{t.rateLimits}</h3>
          <ul>
            {limits.map(({ policy, quota, remaining, resetS }) => (
              <li key={policy}>{t.named(t.policies[policy] ?? policy, t.rateLimit(remaining, quota, resetS))}</li>
            ))}
          </ul>
        </section>
      )}
      <DataTable
        label={t.headers}
        rows={exchange.headers}
        rowKey={([name]) => name}
        columns={[
          { title: t.header, cell: ([name]) => <code>{name}</code> },
          { title: t.value, cell: ([, value]) => value },
        ]}
      />
    </div>
  );
}

function headerOf(exchange: Exchange, name: string): string | undefined {
  return exchange.headers.find(([each]) => each === name)?.[1];
}

/** A problem: its text, and each violation with its position in the request. */
function ProblemView({ problem, retryAfter }: { problem: Problem; retryAfter: string | undefined }) {
  const t = useText(texts);
  return (
    <section className={styles.problem} aria-label={t.problem} role="alert">
      <p className={styles.problemTitle}>
        {problem.title}{" "}
        <a href={`/api/docs/codes#code-${problem.code}`}>
          <code>{problem.code}</code>
        </a>
      </p>
      {problem.detail !== problem.title && <p>{problem.detail}</p>}
      {retryAfter !== undefined && <p>{t.retryAfter(retryAfter)}</p>}
      {problem.errors && problem.errors.length > 0 && (
        <DataTable
          label={t.problem}
          rows={problem.errors}
          rowKey={(row, index) => `${row.pointer} ${index}`}
          columns={[
            { title: t.pointer, cell: (row) => (row.pointer === "" ? t.wholeBody : <code>{row.pointer}</code>) },
            { title: t.violation, cell: (row) => row.detail },
            { title: t.violationCode, cell: (row) => <code>{row.code}</code> },
          ]}
        />
      )}
      {problem.successors?.length ? <p>{t.named(t.successors, problem.successors.join(", "))}</p> : null}
    </section>
  );
}
