// Usage of the API by key, partner and endpoint, and the bills of a month by partner.
import { Button, Select, Tabs, TextInput } from "@mantine/core";
import { BUCKETS, type UsageReport } from "../../api/types";
import { todayInParis } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useLanguage, useText } from "../../shell/language";
import { query } from "../client";
import { Section, Toolbar } from "../components/elements";
import { PartnerFilter } from "../components/fields";
import { Loaded, useRead } from "../components/loaded";
import { useRoute } from "../route";
import { Billing } from "./Billing";
import { CsvMenu } from "./CsvMenu";
import { Report } from "./Report";
import { BUCKET_OF, type DayRange, PRESETS, type Preset, rangeOf } from "./ranges";
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
          <Loaded of={report}>
            {(data) => (
              <div className={styles.report} aria-busy={report.isPlaceholderData}>
                {!isBilling && <Report report={data} onSelect={setParams} />}
                {isBilling && data.billing_preview && (
                  <Billing preview={data.billing_preview} onMonth={(bill) => setParams({ bill })} />
                )}
              </div>
            )}
          </Loaded>
        </Tabs.Panel>
      </Tabs>
    </Section>
  );
}

function useReport(filters: Record<string, string | null>, language: string) {
  const path = `/usage${query(filters)}`;
  return useRead<UsageReport>(path, { keeps: true, timeoutMs: SLOW_MS, queryKey: [path, language] });
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
