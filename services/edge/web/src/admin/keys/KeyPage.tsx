// The page of one key: its last 30 days, its terms, its audit log and its actions.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { ApiKey, Pricing, UsageReport } from "../../api/types";
import { plusDays, todayInParis, useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Empty, Loading } from "../../shell/states";
import { AuditTable, useAuditEntries } from "../audit/AuditSection";
import { call, query } from "../client";
import { Name, Panel, RequestError, Section } from "../components/elements";
import { Tiers } from "../plans/PlansSection";
import { address } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { EndpointTable, ErrorCodes } from "../usage/Outcomes";
import { Timeline } from "../usage/Timeline";
import { KeyCalls } from "./KeyCalls";
import { KeyFactList } from "./KeyDetails";
import styles from "./KeyPage.module.css";
import { type KeyTask, KeyTaskDialog } from "./KeyTaskDialog";
import { keyTexts } from "./texts";

const DAYS = 30;
const ENTRIES = 20;

export function KeyPage({ id }: { id: string }) {
  const t = useText(keyTexts);
  const mayChange = useHasRole("operator");
  const [task, setTask] = useState<KeyTask | null>(null);
  useEffect(() => {
    scrollTo(0, 0);
    document.getElementById("content")?.focus({ preventScroll: true });
  }, []);
  const key = useQuery({
    queryKey: ["keys", "one", id],
    queryFn: ({ signal }) => call<ApiKey>(`/api-keys/${encodeURIComponent(id)}`, { signal }),
  });
  return (
    <div>
      <a className={styles.back} href={address("keys")}>
        <Icon name="left" size={16} />
        {t.title}
      </a>
      {key.isError && <RequestError error={key.error} onRetry={() => void key.refetch()} />}
      {key.isPending && <Loading />}
      {key.data && <KeyContent apiKey={key.data} mayChange={mayChange} start={setTask} />}
      {task && <KeyTaskDialog task={task} mayChange={mayChange} start={setTask} />}
    </div>
  );
}

interface KeyContentProps {
  apiKey: ApiKey;
  mayChange: boolean;
  start: (task: KeyTask) => void;
}

function KeyContent({ apiKey, mayChange, start }: KeyContentProps) {
  const t = useText(keyTexts);
  const terms = useTerms()(apiKey.pricing);
  return (
    <Section
      title={apiKey.label}
      intro={
        <a href={address("partners", {}, apiKey.partner.id)}>
          <Name text={apiKey.partner.name} />
        </a>
      }
      actions={<Actions apiKey={apiKey} mayChange={mayChange} start={start} />}
    >
      <LastDays id={apiKey.id} />
      <KeyCalls id={apiKey.id} />
      <Panel title={t.terms}>
        <div className={styles.facts}>
          <KeyFactList apiKey={apiKey} more={terms} />
        </div>
      </Panel>
      {mayChange && <History id={apiKey.id} />}
    </Section>
  );
}

function Actions({ apiKey, mayChange, start }: KeyContentProps) {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const canChange = mayChange && apiKey.status === "active";
  return (
    <>
      <Button component="a" variant="default" href={address("usage", { key: apiKey.id })}>
        {t.seeUsage}
      </Button>
      {canChange && (
        <>
          <Button variant="default" onClick={() => start({ kind: "edit", apiKey })}>
            {a.edit}
          </Button>
          <Button variant="default" onClick={() => start({ kind: "rotate", apiKey })}>
            {t.rotate}
          </Button>
        </>
      )}
      {mayChange && apiKey.status !== "revoked" && (
        <Button variant="default" className={styles.revoke} onClick={() => start({ kind: "revoke", apiKey })}>
          {t.revoke}
        </Button>
      )}
    </>
  );
}

/** Today and the 29 days before, in Europe/Paris. */
function LastDays({ id }: { id: string }) {
  const t = useText(keyTexts);
  const f = useFormats();
  const today = todayInParis();
  const wanted = query({ from: plusDays(today, 1 - DAYS), to: today, bucket: "day", key_id: id });
  const report = useQuery({
    queryKey: ["usage", wanted],
    queryFn: ({ signal }) => call<UsageReport>(`/usage${wanted}`, { signal }),
  });
  const totals = report.data?.summary;
  return (
    <>
      <Panel title={t.last30}>
        {report.isError && <RequestError error={report.error} onRetry={() => void report.refetch()} />}
        {report.isPending && <Loading />}
        {totals?.requests === 0 && <Empty title={t.noCalls}>{t.noCallsDetail}</Empty>}
        {report.data && totals && totals.requests > 0 && (
          <>
            <p className={styles.totals}>
              <span>{t.units(f.number(totals.units))}</span>
              <span>{t.requests(f.number(totals.requests), f.number(totals.errors))}</span>
              <span>
                {t.averageLatency} {f.milliseconds(totals.average_latency_ms)}
              </span>
              <span>
                {t.p95} {f.milliseconds(totals.p95_latency_ms)}
              </span>
            </p>
            <Timeline points={report.data.timeline} bucket="day" />
          </>
        )}
      </Panel>
      {report.data && totals && totals.requests > 0 && (
        <>
          <EndpointTable report={report.data} />
          <ErrorCodes report={report.data} />
        </>
      )}
    </>
  );
}

function useTerms(): (pricing: Pricing | null) => readonly [string, ReactNode][] {
  const t = useText(keyTexts);
  const f = useFormats();
  return (pricing) => {
    if (pricing === null) return [];
    const since = pricing.effective_from;
    return [
      [t.included, f.number(pricing.included_units)],
      [t.tiers, <Tiers key="tiers" pricing={pricing} />],
      [t.vat, f.percent(Number(pricing.vat_rate))],
      ...(since === null ? [] : [[t.since, f.date(since)] satisfies [string, ReactNode]]),
    ];
  };
}

/** The newest entries of the audit log about the key, for those who may read it. */
function History({ id }: { id: string }) {
  const t = useText(keyTexts);
  const entries = useAuditEntries({ subject: id, limit: ENTRIES });
  return (
    <Panel title={t.history} actions={<a href={address("audit", { subject: id })}>{t.wholeHistory}</a>}>
      {entries.isError && <RequestError error={entries.error} onRetry={() => void entries.refetch()} />}
      {entries.isPending && <Loading />}
      {entries.data && <AuditTable caption={t.history} entries={entries.data.items} />}
    </Panel>
  );
}
