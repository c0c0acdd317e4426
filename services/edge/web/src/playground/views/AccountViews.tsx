// Views of usage and coverage.
import { Progress } from "@mantine/core";
import type { CoverageAnswer, UsageAnswer } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { DataTable, EmptyNote, Facts, Section } from "./components";
import { viewTexts } from "./texts";
import styles from "./views.module.css";

export function UsageView({ usage }: { usage: UsageAnswer }) {
  const t = useText(viewTexts);
  const { number, money, month } = useFormats();
  const { quota, assistant_policy: policy } = usage;
  const limit = quota.monthly_units;
  const ofLimit = (used: number, most: number | null) =>
    most === null ? number(used) : t.unitsOf(number(used), number(most));
  return (
    <div className={styles.view}>
      <Section title={month(usage.month)}>
        <p className={styles.headline}>
          {t.named(t.unitsUsed, limit === null ? `${number(usage.units)} (${t.noQuota})` : ofLimit(usage.units, limit))}
        </p>
        {limit !== null && limit > 0 && (
          <Progress value={Math.min(100, (100 * usage.units) / limit)} aria-label={t.unitsUsed} />
        )}
        <Facts
          facts={[
            [t.requests, number(usage.requests)],
            [t.errors, number(usage.errors)],
            [t.reserved, number(usage.reserved_units)],
            [t.perMinute, number(quota.per_minute)],
            [t.burst, number(quota.burst)],
            [t.spendCap, quota.spend_cap === null ? t.none : money(quota.spend_cap, "EUR")],
          ]}
        />
      </Section>
      <Section title={t.assistant}>
        <Facts
          facts={[
            [t.type, t.modes[policy.mode] ?? policy.mode],
            [t.assistantCalls, ofLimit(usage.assistant_calls, policy.monthly_calls)],
            [t.assistantTokens, ofLimit(usage.assistant_tokens, policy.monthly_tokens)],
          ]}
        />
      </Section>
    </div>
  );
}

export function CoverageView({ coverage }: { coverage: CoverageAnswer }) {
  const t = useText(viewTexts);
  const { number, date } = useFormats();
  if (coverage.datasets.length === 0) return <EmptyNote>{t.noDatasets}</EmptyNote>;
  return (
    <div className={styles.view}>
      <DataTable
        label={t.coverage}
        rows={coverage.datasets}
        rowKey={(row, index) => `${row.dataset} ${row.unit} ${row.part} ${index}`}
        columns={[
          { title: t.dataset, cell: (row) => <code>{row.dataset}</code> },
          { title: t.unit, cell: (row) => row.unit },
          { title: t.part, cell: (row) => row.part || null },
          { title: t.editionColumn, isCompact: true, cell: (row) => row.edition.replace("unknown", t.unknownEdition) },
          { title: t.date, isCompact: true, cell: (row) => date(row.retrieved_at) },
          { title: t.rows, isNumber: true, cell: (row) => number(row.row_count) },
          { title: t.rejected, isNumber: true, cell: (row) => number(row.rejected_count) },
        ]}
      />
      {coverage.next_cursor !== null && <EmptyNote>{t.nextPage}</EmptyNote>}
    </div>
  );
}
