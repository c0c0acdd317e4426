// A usage report: totals, the timeline, the endpoints and the keys.
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
import { within } from "./ranges";
import { Timeline, useBucketLabel } from "./Timeline";
import { usageTexts } from "./texts";

type Tile = [name: string, value: string, note?: string | null];
type Select = (changes: Record<string, string | null>) => void;

export function Report({ report, onSelect }: { report: UsageReport; onSelect: Select }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const { summary, timeline, top_keys: topKeys } = report;
  const { bucket } = report.range;
  const timelineColumns = useTimelineColumns(bucket, onSelect);
  const keyColumns = useKeyColumns(onSelect);
  const share = summary.requests > 0 ? t.ofRequests(f.percent(summary.errors / summary.requests)) : null;
  const tiles: Tile[] = [
    [t.requests, f.number(summary.requests)],
    [t.units, f.number(summary.units)],
    [t.errors, f.number(summary.errors), share],
    [t.latency, f.milliseconds(summary.average_latency_ms)],
    [t.p95, f.milliseconds(summary.p95_latency_ms)],
    [t.activeKeys, f.number(summary.active_keys)],
  ];
  return (
    <>
      <Tiles tiles={tiles} />
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

/** The numbers of a range or a month, side by side. */
export function Tiles({ tiles }: { tiles: readonly Tile[] }) {
  return (
    <dl className={styles.tiles}>
      {tiles.map(([name, value, note]) => (
        <div key={name} className={styles.tile}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note && <dd className={styles.note}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

function select(from: string, bucket: Bucket, onSelect: Select): void {
  const changes = within(from, bucket);
  if (changes) onSelect(changes);
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
