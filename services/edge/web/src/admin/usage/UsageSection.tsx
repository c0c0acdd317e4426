// Usage of the API by key and partner, with the billing preview.
import { Button, Menu, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { BUCKETS, type Bucket, type TopKey, type UsagePoint, type UsageReport } from "../../api/types";
import { plusDays, plusMonths, todayInParis, useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useLanguage, useText } from "../../shell/language";
import { Empty, Loading } from "../../shell/states";
import { call, download, query } from "../client";
import { type Column, DataTable } from "../components/DataTable";
import { Lines, Name, Panel, RequestError, Section, Small, Toolbar } from "../components/elements";
import { PartnerFilter } from "../components/fields";
import { useRoute } from "../route";
import { adminTexts } from "../texts";
import { Billing } from "./Billing";
import { Timeline, useBucketLabel } from "./Timeline";
import { usageTexts } from "./texts";
import styles from "./UsageSection.module.css";

const SLOW_MS = 30_000;

const PRESETS = ["today", "week", "month", "last", "year", "custom"] as const;
type Preset = (typeof PRESETS)[number];

/** Days in Europe/Paris, both in the range. */
interface DayRange {
  from: string;
  to: string;
}

/** The bucket of a preset; a custom range has buckets of a day. */
const BUCKET_OF: Record<Preset, Bucket> = {
  today: "hour",
  week: "day",
  month: "day",
  last: "day",
  year: "month",
  custom: "day",
};

export function UsageSection() {
  const t = useText(usageTexts);
  const { language } = useLanguage();
  const { params, setParams } = useRoute();
  const preset = PRESETS.find((each) => each === params.get("range")) ?? "month";
  const bucket = BUCKETS.find((each) => each === params.get("by")) ?? BUCKET_OF[preset];
  const key = params.get("key");
  const partner = params.get("partner");
  const range = preset === "custom" ? customRange(params) : rangeOf(preset);
  const filters = { ...range, bucket, key_id: key, partner, month: params.get("bill") };
  const report = useQuery({
    queryKey: ["usage", filters, language],
    queryFn: ({ signal }) => call<UsageReport>(`/usage${query(filters)}`, { signal, timeoutMs: SLOW_MS }),
    placeholderData: (before) => before,
  });
  return (
    <Section
      title={t.title}
      intro={t.intro}
      actions={
        <>
          {/* No automatic refresh, since it would keep an abandoned session active. */}
          <Button
            variant="default"
            leftSection={<Icon name="refresh" size={16} />}
            onClick={() => void report.refetch()}
          >
            {t.refresh}
          </Button>
          <CsvMenu filters={filters} />
        </>
      }
    >
      <Toolbar>
        <Select
          label={t.range}
          data={PRESETS.map((value) => ({ value, label: t.ranges[value] }))}
          value={preset}
          allowDeselect={false}
          onChange={(value) => setParams({ range: value, by: null, ...firstDays(value as Preset, range) })}
        />
        {preset === "custom" && <DayInputs range={range} setParams={setParams} />}
        <Select
          label={t.bucket}
          data={BUCKETS.map((value) => ({ value, label: t.buckets[value] }))}
          value={bucket}
          allowDeselect={false}
          onChange={(by) => setParams({ by })}
        />
        {key === null ? (
          <PartnerFilter value={partner} onChange={(id) => setParams({ partner: id })} />
        ) : (
          <div className={styles.only}>
            <span>{t.onlyKey(key)}</span>
            <Button variant="default" size="xs" onClick={() => setParams({ key: null })}>
              {t.allKeys}
            </Button>
          </div>
        )}
      </Toolbar>
      {report.isError && <RequestError error={report.error} onRetry={() => void report.refetch()} />}
      {report.isPending && <Loading />}
      {report.data && (
        <div className={styles.report} aria-busy={report.isPlaceholderData}>
          <Report report={report.data} />
          {report.data.billing_preview && (
            <Billing preview={report.data.billing_preview} onMonth={(bill) => setParams({ bill })} />
          )}
        </div>
      )}
    </Section>
  );
}

function Report({ report }: { report: UsageReport }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const { summary, timeline, top_keys: topKeys } = report;
  const timelineColumns = useTimelineColumns(report.range.bucket);
  const keyColumns = useKeyColumns();
  const share = summary.requests > 0 ? t.ofRequests(f.percent(summary.errors / summary.requests)) : "";
  return (
    <>
      <dl className={styles.tiles}>
        <Tile
          name={t.requests}
          value={f.number(summary.requests)}
          note={`${f.number(summary.units)} ${t.units.toLowerCase()}`}
        />
        <Tile name={t.errors} value={f.number(summary.errors)} note={share} />
        <Tile name={t.latency} value={f.milliseconds(summary.average_latency_ms)} note="" />
        <Tile name={t.activeKeys} value={f.number(summary.active_keys)} note={t.activeNote} />
      </dl>
      {summary.requests === 0 ? (
        <Empty title={t.noUsage}>{t.noUsageDetail}</Empty>
      ) : (
        <>
          <Panel title={t.timeline}>
            <Timeline points={timeline} bucket={report.range.bucket} />
            <DataTable
              caption={t.timeline}
              columns={timelineColumns}
              rows={[...timeline].reverse()}
              rowId={(point) => point.from}
              isCompact
            />
          </Panel>
          <Panel title={t.topKeys}>
            <DataTable caption={t.topKeys} columns={keyColumns} rows={topKeys} rowId={(key) => key.key_id} />
          </Panel>
        </>
      )}
    </>
  );
}

function Tile({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div className={styles.tile}>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd className={styles.tileNote}>{note}</dd>
    </div>
  );
}

function useTimelineColumns(bucket: Bucket): Column<UsagePoint>[] {
  const t = useText(usageTexts);
  const f = useFormats();
  const label = useBucketLabel(bucket);
  return [
    { id: "date", header: t.at, cell: (point) => label(point.from) },
    { id: "requests", header: t.requests, cell: (point) => f.number(point.requests), isNumber: true },
    { id: "errors", header: t.errors, cell: (point) => f.number(point.errors), isNumber: true },
    { id: "latency", header: t.latency, cell: (point) => f.milliseconds(point.average_latency_ms), isNumber: true },
  ];
}

function useKeyColumns(): Column<TopKey>[] {
  const t = useText(usageTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  return [
    {
      id: "label",
      header: t.key,
      cell: (key) => (
        <Lines>
          <Name text={key.label} />
          <Small>
            <code>{key.key}</code>
          </Small>
        </Lines>
      ),
      isTitle: true,
    },
    { id: "partner", header: a.partner, cell: (key) => <Name text={key.partner.name} /> },
    { id: "requests", header: t.requests, cell: (key) => f.number(key.requests), isNumber: true },
    { id: "errors", header: t.errors, cell: (key) => f.number(key.errors), isNumber: true },
    { id: "units", header: t.units, cell: (key) => f.number(key.units), isNumber: true },
    { id: "cost", header: t.cost, cell: (key) => f.money(key.estimated_cost, key.currency), isNumber: true },
  ];
}

function DayInputs({
  range,
  setParams,
}: {
  range: DayRange;
  setParams: (changes: Record<string, string | null>) => void;
}) {
  const t = useText(usageTexts);
  return (
    <>
      <TextInput
        type="date"
        label={t.from}
        value={range.from}
        onChange={(event) => event.currentTarget.value && setParams({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t.to}
        value={range.to}
        onChange={(event) => event.currentTarget.value && setParams({ to: event.currentTarget.value })}
      />
    </>
  );
}

function CsvMenu({ filters }: { filters: Record<string, string | null> }) {
  const t = useText(usageTexts);
  const [error, setError] = useState<unknown>(null);
  const save = async (table: string) => {
    setError(null);
    try {
      const response = await download(`/usage${query({ ...filters, table })}`, "text/csv");
      saveAs(await response.blob(), `${table}-${filters.from}-${filters.to}.csv`);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={16} />}>
            {t.csv}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.entries(t.csvTables).map(([table, name]) => (
            <Menu.Item key={table} onClick={() => void save(table)}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {error !== null && <RequestError error={error} />}
    </>
  );
}

function saveAs(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function customRange(params: URLSearchParams): DayRange {
  const today = todayInParis();
  const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text);
  const [from, to] = [params.get("from"), params.get("to")];
  return { from: isDay(from) ? from : `${today.slice(0, 7)}-01`, to: isDay(to) ? to : today };
}

/** A custom range starts with the range shown before. */
function firstDays(preset: Preset, before: DayRange): Record<string, string | null> {
  return preset === "custom" ? { from: before.from, to: before.to } : { from: null, to: null };
}

function rangeOf(preset: Exclude<Preset, "custom">, today = todayInParis()): DayRange {
  const month = today.slice(0, 7);
  switch (preset) {
    case "today":
      return { from: today, to: today };
    case "week":
      return { from: plusDays(today, -6), to: today };
    case "month":
      return { from: `${month}-01`, to: today };
    case "last":
      return { from: `${plusMonths(month, -1)}-01`, to: plusDays(`${month}-01`, -1) };
    case "year":
      return { from: `${plusMonths(month, -11)}-01`, to: today };
  }
}
