// Usage of the API by key, partner and endpoint, and the bills of a month by partner.
import { Button, Select, Tabs, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { BUCKETS, type UsageReport } from "../../api/types";
import { todayInParis } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useLanguage, useText } from "../../shell/language";
import { Loading } from "../../shell/states";
import { call, query } from "../client";
import { RequestError, Section, Toolbar } from "../components/elements";
import { PartnerFilter } from "../components/fields";
import { useRoute } from "../route";
import { Billing } from "./Billing";
import { CsvMenu } from "./CsvMenu";
import { Report } from "./Report";
import { BUCKET_OF, type DayRange, PRESETS, type Preset, rangeBefore, rangeOf } from "./ranges";
import { usageTexts } from "./texts";
import styles from "./UsageSection.module.css";

const SLOW_MS = 30_000;

export function UsageSection() {
  const t = useText(usageTexts);
  const { language } = useLanguage();
  const { params, setParams } = useRoute();
  const isBilling = params.get("tab") === "bills";
  const preset = PRESETS.find((each) => each === params.get("range")) ?? "month";
  const bucket = BUCKETS.find((each) => each === params.get("by")) ?? BUCKET_OF[preset];
  const key = params.get("key");
  const partner = params.get("partner");
  const range = rangeOf(preset, params);
  const scope = { key_id: key, partner };
  const month = params.get("bill") ?? todayInParis().slice(0, 7);
  const filters = isBilling ? { ...scope, bucket: "month", month } : { ...scope, ...range, bucket };
  const report = useReport(filters, language);
  const earlier = rangeBefore(preset, range);
  const before = useReport({ ...scope, ...earlier, bucket: "month" }, language, !isBilling);
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
          <CsvMenu
            filters={filters}
            tables={isBilling ? ["totals", "bills"] : ["timeline", "keys"]}
            period={isBilling ? month : `${range.from}-${range.to}`}
          />
        </>
      }
    >
      <Tabs
        value={isBilling ? "bills" : "usage"}
        onChange={(tab) => setParams({ tab: tab === "bills" ? tab : null })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="usage">{t.usage}</Tabs.Tab>
          <Tabs.Tab value="bills">{t.billing}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={isBilling ? "bills" : "usage"} className={styles.panel}>
          <Toolbar>
            {!isBilling && (
              <>
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
              </>
            )}
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
              {!isBilling && (
                <Report
                  report={report.data}
                  before={before.isPlaceholderData ? undefined : before.data?.summary}
                  earlier={earlier}
                  onSelect={setParams}
                />
              )}
              {isBilling && report.data.billing_preview && (
                <Billing preview={report.data.billing_preview} onMonth={(bill) => setParams({ bill })} />
              )}
            </div>
          )}
        </Tabs.Panel>
      </Tabs>
    </Section>
  );
}

function useReport(filters: Record<string, string | null>, language: string, enabled = true) {
  return useQuery({
    queryKey: ["usage", filters, language],
    queryFn: ({ signal }) => call<UsageReport>(`/usage${query(filters)}`, { signal, timeoutMs: SLOW_MS }),
    placeholderData: (before) => before,
    enabled,
  });
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

/** A custom range starts with the range shown before. */
function firstDays(preset: Preset, before: DayRange): Record<string, string | null> {
  return preset === "custom" ? { from: before.from, to: before.to } : { from: null, to: null };
}
