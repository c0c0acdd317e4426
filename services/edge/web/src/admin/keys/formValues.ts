// The form values of a key, and their conversion to the API.

import type { ApiKey, AssistantMode } from "../../api/types";
import { NEW_TERMS, normaliseDecimal, type TermsValues, termsBody, termsValues } from "../components/PricingFields";

export type PriceChoice = "keep" | "none" | "plan" | "own";

/** Fields have the names of the API's members, so that `errors[].pointer` finds the field. */
export interface KeyValues {
  partner: string;
  label: string;
  mode: "live" | "test";
  price: PriceChoice;
  pricing: TermsValues & { plan: string };
  quota: {
    monthly_units: number | string;
    per_minute: number | string;
    burst: number | string;
    hard: boolean;
    spend_cap: string;
  };
  assistant_policy: { mode: AssistantMode; monthly_calls: number | string; monthly_tokens: number | string };
  scopes: string[];
  /** One per line. */
  allowed_cidrs: string;
  /** In the format of a datetime-local input. */
  expires_at: string;
  /** "name = value", one per line. */
  metadata: string;
}

export const NEW_KEY: KeyValues = {
  partner: "",
  label: "",
  mode: "live",
  price: "none",
  pricing: { plan: "", ...NEW_TERMS },
  quota: { monthly_units: "", per_minute: 600, burst: 100, hard: true, spend_cap: "" },
  assistant_policy: { mode: "rules", monthly_calls: "", monthly_tokens: "" },
  scopes: [],
  allowed_cidrs: "",
  expires_at: "",
  metadata: "",
};

export function valuesOf(key: ApiKey): KeyValues {
  const { quota, assistant_policy: policy } = key;
  const terms = key.pricing ? termsValues(key.pricing) : NEW_TERMS;
  return {
    partner: key.partner.name,
    label: key.label,
    mode: key.mode,
    price: key.pricing ? "keep" : "none",
    pricing: { plan: key.pricing?.plan ?? "", ...terms },
    quota: { ...quota, monthly_units: quota.monthly_units ?? "", spend_cap: quota.spend_cap ?? "" },
    assistant_policy: {
      mode: policy.mode,
      monthly_calls: policy.monthly_calls ?? "",
      monthly_tokens: policy.monthly_tokens ?? "",
    },
    scopes: key.scopes,
    allowed_cidrs: key.allowed_cidrs.join("\n"),
    expires_at: key.expires_at ? localTime(key.expires_at) : "",
    metadata: metadataLines(key.metadata).join("\n"),
  };
}

/** As the form shows them: "name = value". */
export function metadataLines(metadata: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(metadata).map(([name, value]) => `${name} = ${value}`);
}

/** The complete body to create a key. */
export function newBody(values: KeyValues): Record<string, unknown> {
  return { partner: values.partner.trim(), mode: values.mode, ...editable(values) };
}

/** Only the differences, so that the form does not overwrite a limit that another admin has changed. */
export function changedBody(before: KeyValues, after: KeyValues): Record<string, unknown> {
  const old = editable(before);
  return Object.fromEntries(
    Object.entries(editable(after)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])),
  );
}

function editable(values: KeyValues): Record<string, unknown> {
  const { quota, assistant_policy: policy, price, pricing } = values;
  return {
    label: values.label.trim(),
    ...(price === "plan" && {
      pricing: {
        plan: pricing.plan,
        ...(pricing.effective_from ? { effective_from: pricing.effective_from } : {}),
      },
    }),
    ...(price === "own" && { pricing: termsBody(pricing) }),
    quota: {
      monthly_units: optional(quota.monthly_units),
      per_minute: optional(quota.per_minute),
      burst: optional(quota.burst),
      hard: quota.hard,
      spend_cap: normaliseDecimal(quota.spend_cap) || null,
    },
    assistant_policy: {
      mode: policy.mode,
      monthly_calls: optional(policy.monthly_calls),
      monthly_tokens: optional(policy.monthly_tokens),
    },
    scopes: values.scopes,
    allowed_cidrs: lines(values.allowed_cidrs),
    expires_at: values.expires_at ? new Date(values.expires_at).toISOString() : null,
    metadata: readMetadata(values.metadata) ?? {},
  };
}

/** Null if a line is not "name = value". */
export function readMetadata(text: string): Record<string, string> | null {
  const read: Record<string, string> = {};
  for (const line of lines(text)) {
    const at = line.indexOf("=");
    const name = line.slice(0, at).trim();
    if (at < 0 || !name) return null;
    read[name] = line.slice(at + 1).trim();
  }
  return read;
}

function optional(value: number | string): number | null {
  return value === "" ? null : Number(value);
}

function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

function localTime(at: string): string {
  const instant = new Date(at);
  return new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
