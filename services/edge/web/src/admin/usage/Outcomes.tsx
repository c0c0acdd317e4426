// Requests by endpoint and status, and errors by code, in the usage tab and on the page of a key.
import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import type { CodeCount, StatusCount, UsageReport } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { type Column, DataTable } from "../components/DataTable";
import { Panel, Small } from "../components/elements";
import styles from "./Outcomes.module.css";
import { usageTexts } from "./texts";

type EndpointUsage = UsageReport["endpoints"][number];

const DISCONNECTED = 499;

/** The endpoints with their statuses. A click on a status shows only the endpoints that answered it. */
export function EndpointTable({ report }: { report: UsageReport }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const [chosen, setChosen] = useState<number | null>(null);
  const { summary, endpoints, statuses } = report;
  const only = statuses.some((each) => each.status === chosen) ? chosen : null;
  const rows = only === null ? endpoints : endpoints.filter((each) => countOf(each, only) > 0);
  const columns: Column<EndpointUsage>[] = [
    { id: "label", header: t.endpoint, cell: (each) => <code>{each.endpoint}</code>, isTitle: true },
    { id: "requests", header: t.requests, cell: (each) => f.number(each.requests), isNumber: true },
    { id: "statuses", header: t.status, cell: (each) => <Statuses statuses={each.statuses} only={only} /> },
    { id: "latency", header: t.latency, cell: (each) => f.milliseconds(each.average_latency_ms), isNumber: true },
    { id: "p95", header: t.p95, cell: (each) => f.milliseconds(each.p95_latency_ms), isNumber: true },
    { id: "units", header: t.units, cell: (each) => f.number(each.units), isNumber: true },
    {
      id: "share",
      header: t.share,
      cell: (each) => (summary.units > 0 ? f.percent(each.units / summary.units) : "–"),
      isNumber: true,
    },
  ];
  return (
    <Panel title={t.endpoints}>
      <fieldset className={styles.filter}>
        <legend className="lp-visually-hidden">{t.statuses}</legend>
        {statuses.map((each) => (
          <UnstyledButton
            key={each.status}
            className={styles.choice}
            disabled={each.status === null}
            aria-pressed={each.status !== null && each.status === only}
            onClick={() => setChosen(each.status === only ? null : each.status)}
          >
            <Status of={each} />
          </UnstyledButton>
        ))}
      </fieldset>
      <DataTable caption={t.endpoints} columns={columns} rows={rows} rowId={(each) => each.endpoint} />
      <Small>{t.wholeDays}</Small>
    </Panel>
  );
}

/** Nothing without an error. */
export function ErrorCodes({ report }: { report: UsageReport }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const { codes } = report;
  const errors = codes.reduce((all, each) => all + each.requests, 0);
  if (errors === 0) return null;
  const columns: Column<CodeCount>[] = [
    { id: "code", header: t.code, cell: (each) => <Code code={each.code} status={each.status} />, isTitle: true },
    { id: "status", header: t.status, cell: (each) => each.status ?? t.unknown, isNumber: true },
    { id: "requests", header: t.requests, cell: (each) => f.number(each.requests), isNumber: true },
    { id: "share", header: t.shareOfErrors, cell: (each) => f.percent(each.requests / errors), isNumber: true },
  ];
  return (
    <Panel title={t.codes}>
      <DataTable
        caption={t.codes}
        columns={columns}
        rows={codes}
        rowId={(each) => `${each.code} ${each.status}`}
        isCompact
      />
    </Panel>
  );
}

/** A code with a link to its meaning, or why there is none. */
export function Code({ code, status }: Pick<CodeCount, "code" | "status">) {
  const t = useText(usageTexts);
  if (code === "other") return t.otherCode;
  if (code !== null) {
    return (
      <a className={styles.code} href={`/api/docs/codes#code-${code}`}>
        <code>{code}</code>
      </a>
    );
  }
  return status === DISCONNECTED ? t.disconnected : t.noCode;
}

function Statuses({ statuses, only }: { statuses: readonly StatusCount[]; only: number | null }) {
  return (
    <span className={styles.statuses}>
      {statuses
        .filter((each) => only === null || each.status === only)
        .map((each) => (
          <Status key={each.status} of={each} />
        ))}
    </span>
  );
}

function Status({ of }: { of: StatusCount }) {
  const t = useText(usageTexts);
  const f = useFormats();
  return (
    <span className={styles.status} data-class={of.status === null ? "unknown" : Math.floor(of.status / 100)}>
      <b>{of.status ?? t.unknown}</b> {f.number(of.requests)}
    </span>
  );
}

function countOf(endpoint: EndpointUsage, status: number): number {
  return endpoint.statuses.find((each) => each.status === status)?.requests ?? 0;
}
