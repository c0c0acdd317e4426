// Cells for a key: in one line in the list, in several on its page.

import type { ApiKey, KeyStatus } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, type Tone } from "../../shell/states";
import { Lines, Small } from "../components/elements";
import { adminTexts } from "../texts";
import styles from "./cells.module.css";
import { metadataLines } from "./formValues";
import { keyTexts } from "./texts";

const TONES: Record<KeyStatus, Tone> = {
  active: "success",
  revoked: "error",
  expired: "warning",
  suspended: "warning",
};

interface Cell {
  apiKey: ApiKey;
}

export function StatusBadge({ apiKey }: Cell) {
  const t = useText(keyTexts);
  return (
    <span className={styles.badges}>
      <Badge tone={TONES[apiKey.status]}>{t.statuses[apiKey.status]}</Badge>
      {apiKey.mode === "test" && <Badge tone="info">{t.test}</Badge>}
    </span>
  );
}

/** What a cell says, and its details. */
export interface Fact {
  value: string;
  details: readonly string[];
}

/** A fact in one line. Its title has the details, and the value if it is cut. */
export function OneLine({ fact }: { fact: Fact }) {
  return (
    <bdi className={styles.line} title={[fact.value, ...fact.details].join(" · ")}>
      {fact.value}
    </bdi>
  );
}

export function FactLines({ fact }: { fact: Fact }) {
  return (
    <Lines>
      <bdi>{fact.value}</bdi>
      {fact.details.map((detail) => (
        <Small key={detail}>{detail}</Small>
      ))}
    </Lines>
  );
}

/** The internal notes of a key or partner, each in a line. */
export function Notes({ metadata }: { metadata: Readonly<Record<string, unknown>> }) {
  return (
    <Lines>
      {metadataLines(metadata).map((line) => (
        <bdi key={line}>{line}</bdi>
      ))}
    </Lines>
  );
}

export function useKeyFacts(): (apiKey: ApiKey) => Record<"usage" | "pricing" | "quota" | "assistant", Fact> {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const { number, money, percent } = useFormats();
  return ({ month_usage: usage, pricing, quota, assistant_policy: policy }) => {
    const { monthly_units: units, spend_cap: cap } = quota;
    const { monthly_calls: calls, monthly_tokens: tokens } = policy;
    const share = units === null || units === 0 ? [] : [t.ofQuota(percent(usage.units / units))];
    return {
      usage: {
        value: a.unitCount(number(usage.units)),
        details: [...share, a.requestCount(number(usage.requests), number(usage.errors))],
      },
      pricing:
        pricing === null
          ? { value: t.noPricing, details: [] }
          : {
              value: pricing.plan ?? t.ownTerms,
              details: [t.feePerMonth(money(pricing.monthly_fee, pricing.currency))],
            },
      quota: {
        value: units === null ? a.unlimited : t.perMonth(number(units)),
        details: [
          t.perMinute(number(quota.per_minute)),
          ...(quota.hard ? [] : [t.soft]),
          ...(cap ? [t.capped(money(cap, "EUR"))] : []),
        ],
      },
      assistant: {
        value: t.modes[policy.mode],
        details: [
          ...(calls === null ? [] : [t.calls(number(calls))]),
          ...(tokens === null ? [] : [t.tokens(number(tokens))]),
        ],
      },
    };
  };
}

/** The units of the month, over the requests of each of the last 30 days. */
export function UsageCell({ apiKey, fact }: Cell & { fact: Fact }) {
  const limit = apiKey.quota.monthly_units;
  return (
    <span className={styles.usage} data-full={(limit !== null && apiKey.month_usage.units >= limit) || undefined}>
      <OneLine fact={fact} />
      <Sparkline values={apiKey.daily_requests} />
    </span>
  );
}

const SPARKLINE_HEIGHT = 10;

function Sparkline({ values }: { values: readonly number[] }) {
  const t = useText(keyTexts);
  const { number } = useFormats();
  const most = Math.max(0, ...values);
  if (most === 0) return null;
  const bars = values.map((value, day) => {
    const height = value === 0 ? 0 : Math.max(1, (SPARKLINE_HEIGHT * value) / most);
    return `M${day + 0.1} ${SPARKLINE_HEIGHT}v${-height}h.8v${height}z`;
  });
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${values.length} ${SPARKLINE_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t.dailyRequests(number(values.reduce((sum, value) => sum + value, 0)))}
    >
      <path d={bars.join("")} />
    </svg>
  );
}
