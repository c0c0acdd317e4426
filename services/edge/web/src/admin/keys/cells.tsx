// Cells for a key, in the list and the details.

import type { ApiKey, KeyStatus } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, type Tone } from "../../shell/states";
import { Lines, Small } from "../components/elements";
import { adminTexts } from "../texts";
import styles from "./cells.module.css";
import { keyTexts } from "./texts";

const TONES: Record<KeyStatus, Tone> = { active: "success", revoked: "error", expired: "warning" };

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

export function UsageCell({ apiKey }: Cell) {
  const t = useText(keyTexts);
  const { number } = useFormats();
  const { units, requests, errors } = apiKey.month_usage;
  const limit = apiKey.quota.monthly_units;
  return (
    <Lines>
      <span>{t.units(number(units))}</span>
      {limit !== null && limit > 0 && (
        <progress
          className={styles.meter}
          max={limit}
          value={Math.min(units, limit)}
          data-full={units >= limit || undefined}
          aria-label={t.monthUsage}
        />
      )}
      <Small>{t.requests(number(requests), number(errors))}</Small>
    </Lines>
  );
}

export function PricingCell({ apiKey }: Cell) {
  const t = useText(keyTexts);
  const { money } = useFormats();
  const { pricing } = apiKey;
  if (pricing === null) return <Small>{t.noPricing}</Small>;
  return (
    <Lines>
      <bdi>{pricing.plan ?? t.ownTerms}</bdi>
      <Small>{money(pricing.monthly_fee, pricing.currency)}</Small>
    </Lines>
  );
}

export function QuotaCell({ apiKey }: Cell) {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const { number, money } = useFormats();
  const { monthly_units: units, per_minute: rate, hard, spend_cap: cap } = apiKey.quota;
  const details = [t.perMinute(number(rate)), ...(hard ? [] : [t.soft]), ...(cap ? [t.capped(money(cap, "EUR"))] : [])];
  return (
    <Lines>
      <span>{units === null ? a.unlimited : t.perMonth(number(units))}</span>
      <Small>{details.join(" · ")}</Small>
    </Lines>
  );
}

export function AssistantCell({ apiKey }: Cell) {
  const t = useText(keyTexts);
  const { number } = useFormats();
  const { mode, monthly_calls: calls, monthly_tokens: tokens } = apiKey.assistant_policy;
  const limits = [
    ...(calls === null ? [] : [t.calls(number(calls))]),
    ...(tokens === null ? [] : [t.tokens(number(tokens))]),
  ];
  return (
    <Lines>
      <span>{t.modes[mode]}</span>
      {limits.map((limit) => (
        <Small key={limit}>{limit}</Small>
      ))}
    </Lines>
  );
}
