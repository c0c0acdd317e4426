// A usage report: totals with those of the range before, the timeline, the endpoints and the keys.
import { UnstyledButton } from "@mantine/core";
import type { Bucket, TopKey, UsagePoint, UsageReport } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Empty } from "../../shell/states";
import { type Column, DataTable } from "../components/DataTable";
import { Lines, Panel, Small } from "../components/elements";
import { adminTexts } from "../texts";
import { EndpointTable, ErrorCodes } from "./Outcomes";
import styles from "./Report.module.css";
import { type DayRange, within } from "./ranges";
import { Timeline, useBucketLabel } from "./Timeline";
import { usageTexts } from "./texts";

type Select = (changes: Record<string, string | null>) => void;
type Summary = UsageReport["summary"];

export function Report({
  report,
  before,
  earlier,
  onSelect,
}: {
  report: UsageReport;
  /** The totals of the range before. Undefined while they load. */
  before: Summary | undefined;
  earlier: DayRange;
  onSelect: Select;
}) {
  const t = useText(usageTexts);
  const f = useFormats();
  const { summary, timeline, top_keys: topKeys } = report;
  const { bucket } = report.range;
  const timelineColumns = useTimelineColumns(bucket, onSelect);
  const keyColumns = useKeyColumns(onSelect);
  return (
    <>
      <dl className={styles.tiles}>
        <Tile name={t.requests} now={summary.requests} before={before?.requests} />
        <Tile name={t.units} now={summary.units} before={before?.units} />
        <Tile
          name={t.errors}
          now={summary.errors}
          before={before?.errors}
          share={summary.requests > 0 ? t.ofRequests(f.percent(summary.errors / summary.requests)) : undefined}
        />
        <Tile
          name={t.latency}
          now={summary.average_latency_ms}
          before={before?.average_latency_ms}
          format={f.milliseconds}
        />
        <Tile name={t.p95} now={summary.p95_latency_ms} before={before?.p95_latency_ms} format={f.milliseconds} />
        <Tile name={t.activeKeys} now={summary.active_keys} before={before?.active_keys} />
      </dl>
      <p className={styles.earlier}>{t.earlier(f.date(earlier.from), f.date(earlier.to))}</p>
      {summary.requests === 0 ? (
        <Empty title={t.noUsage}>{t.noUsageDetail}</Empty>
      ) : (
        <>
          <Panel title={t.timeline}>
            <Timeline points={timeline} bucket={bucket} onSelect={(from) => select(from, bucket, onSelect)} />
            <details className={styles.folded}>
              <summary>{t.showTable}</summary>
              <DataTable
                caption={t.timeline}
                columns={timelineColumns}
                rows={[...timeline].reverse()}
                rowId={(point) => point.from}
                isCompact
              />
            </details>
          </Panel>
          <EndpointTable report={report} />
          <ErrorCodes report={report} />
          <Panel title={t.topKeys}>
            <DataTable caption={t.topKeys} columns={keyColumns} rows={topKeys} rowId={(key) => key.key_id} />
          </Panel>
        </>
      )}
    </>
  );
}

function select(from: string, bucket: Bucket, onSelect: Select): void {
  const changes = within(from, bucket);
  if (changes) onSelect(changes);
}

function Tile({
  name,
  now,
  before,
  share,
  format,
}: {
  name: string;
  now: number | null;
  before: number | null | undefined;
  share?: string | undefined;
  format?: (value: number | null) => string;
}) {
  const t = useText(usageTexts);
  const f = useFormats();
  const write = format ?? ((value) => (value === null ? "–" : f.number(value)));
  const change = now !== null && before ? ` (${f.change(now / before - 1)})` : "";
  return (
    <div className={styles.tile}>
      <dt>{name}</dt>
      <dd>{write(now)}</dd>
      {share && <dd className={styles.note}>{share}</dd>}
      <dd className={styles.note}>{before === undefined ? "" : t.before(write(before) + change)}</dd>
    </div>
  );
}

function useTimelineColumns(bucket: Bucket, onSelect: Select): Column<UsagePoint>[] {
  const t = useText(usageTexts);
  const label = useBucketLabel(bucket);
  const counts = useCountColumns();
  return [
    {
      id: "date",
      header: t.at,
      cell: (point) =>
        bucket === "hour" ? (
          label(point.from)
        ) : (
          <Choose label={label(point.from)} onClick={() => select(point.from, bucket, onSelect)} />
        ),
    },
    ...counts,
  ];
}

function useCountColumns(): Column<Pick<UsagePoint, "requests" | "errors" | "average_latency_ms" | "units">>[] {
  const t = useText(usageTexts);
  const f = useFormats();
  return [
    { id: "requests", header: t.requests, cell: (of) => f.number(of.requests), isNumber: true },
    { id: "errors", header: t.errors, cell: (of) => f.number(of.errors), isNumber: true },
    { id: "latency", header: t.latency, cell: (of) => f.milliseconds(of.average_latency_ms), isNumber: true },
    { id: "units", header: t.units, cell: (of) => f.number(of.units), isNumber: true },
  ];
}

function useKeyColumns(onSelect: Select): Column<TopKey>[] {
  const t = useText(usageTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  return [
    {
      id: "label",
      header: t.key,
      cell: (key) => (
        <Lines>
          <Choose label={key.label || key.key_id} onClick={() => onSelect({ key: key.key_id })} />
          <Small>
            <code>{key.key}</code>
          </Small>
        </Lines>
      ),
      isTitle: true,
    },
    {
      id: "partner",
      header: a.partner,
      cell: (key) => <Choose label={key.partner.name} onClick={() => onSelect({ partner: key.partner.id })} />,
    },
    { id: "requests", header: t.requests, cell: (key) => f.number(key.requests), isNumber: true },
    { id: "errors", header: t.errors, cell: (key) => f.number(key.errors), isNumber: true },
    { id: "units", header: t.units, cell: (key) => f.number(key.units), isNumber: true },
    { id: "cost", header: t.cost, cell: (key) => f.money(key.estimated_cost, key.currency), isNumber: true },
  ];
}

/** A value that limits the report to itself. */
function Choose({ label, onClick }: { label: string; onClick: () => void }) {
  const t = useText(usageTexts);
  return (
    <UnstyledButton className={styles.choose} onClick={onClick} title={t.onlyThis(label)}>
      <bdi>{label}</bdi>
    </UnstyledButton>
  );
}
