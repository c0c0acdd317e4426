// An answer as a program gets it: its status, its text, its events and its headers.
import { useEffect, useState } from "react";
import type { Problem } from "../api/types";
import { Code } from "../docs/Code";
import { useFormats } from "../shell/format";
import { useText } from "../shell/language";
import { FactRows, Notice } from "../shell/states";
import { type Exchange, headerOf, rateLimits } from "./exchange";
import styles from "./playground.module.css";
import type { StreamEvent } from "./stream";
import { texts } from "./texts";
import { DataTable } from "./views/components";

const MAX_SHOWN = 100_000;

export function ExchangeView({ exchange }: { exchange: Exchange }) {
  const t = useText(texts);
  const { number } = useFormats();
  const { status, phase, problem, json, streamed, file } = exchange;
  const text = json === undefined ? exchange.text : JSON.stringify(json, null, 2);
  return (
    <section className={styles.answer} aria-label={t.response} aria-live="polite">
      {status !== null && <StatusLine exchange={exchange} />}
      {(phase === "cancelled" || phase === "unreachable" || phase === "interrupted") && (
        <Notice tone="warning">
          <strong>{t.phases[phase]}</strong>
          <p>{t.failures[phase]}</p>
        </Notice>
      )}
      {problem && <ProblemView problem={problem} retryAfter={headerOf(exchange, "retry-after")} />}
      {text !== "" && phase !== "sending" && <Code text={text.slice(0, MAX_SHOWN)} copied={text} label={t.response} />}
      {text.length > MAX_SHOWN && <p>{t.shortened(number(text.length))}</p>}
      {file && <SavedFile file={file} />}
      {streamed && <Events events={streamed.events} />}
      {status !== null && <Headers exchange={exchange} />}
    </section>
  );
}

function StatusLine({ exchange }: { exchange: Exchange }) {
  const t = useText(texts);
  const { milliseconds, number } = useFormats();
  const { status, tookMs, waitedMs, sizeBytes } = exchange;
  const facts = [
    [t.latency, milliseconds(tookMs ?? waitedMs)],
    [t.size, t.bytes(number(sizeBytes))],
    [t.requestId, <code key="id">{headerOf(exchange, "x-request-id") ?? "–"}</code>],
  ] as const;
  return (
    <dl className={styles.statusLine}>
      <div>
        <dt>{t.status}</dt>
        <dd className={styles.status} data-family={Math.floor((status ?? 0) / 100)} data-testid="status">
          {status}
        </dd>
      </div>
      <FactRows facts={facts} />
    </dl>
  );
}

function SavedFile({ file }: { file: Blob }) {
  const t = useText(texts);
  const { number } = useFormats();
  const [address, setAddress] = useState("");
  useEffect(() => {
    const created = URL.createObjectURL(file);
    setAddress(created);
    return () => URL.revokeObjectURL(created);
  }, [file]);
  return (
    <p>
      {t.file(number(file.size))}{" "}
      <a href={address} download>
        {t.save}
      </a>
    </p>
  );
}

function Events({ events }: { events: readonly StreamEvent[] }) {
  const t = useText(texts);
  const { milliseconds } = useFormats();
  return (
    <details>
      <summary>{`${t.events} (${events.length})`}</summary>
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
    </details>
  );
}

function Headers({ exchange }: { exchange: Exchange }) {
  const t = useText(texts);
  const limits = rateLimits(headerOf(exchange, "ratelimit-policy"), headerOf(exchange, "ratelimit"));
  return (
    <details>
      <summary>{t.headers}</summary>
      {limits.map(({ policy, quota, remaining, resetS }) => (
        <p key={policy}>{t.named(t.policies[policy] ?? policy, t.rateLimit(remaining, quota, resetS))}</p>
      ))}
      <DataTable
        label={t.headers}
        rows={exchange.headers}
        rowKey={([name]) => name}
        columns={[
          { title: t.header, cell: ([name]) => <code>{name}</code> },
          { title: t.value, cell: ([, value]) => value },
        ]}
      />
    </details>
  );
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
