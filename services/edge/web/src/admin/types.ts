// The answers of the admin routes (services/edge/src/edge/admin/schemas.py). Money is a decimal text.

export type Role = "viewer" | "operator" | "owner";
export const ROLES: readonly Role[] = ["viewer", "operator", "owner"];

export interface Listed<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Admin {
  id: string;
  email: string;
  role: Role;
  is_active: boolean;
  created_at: string;
  last_sign_in_at: string | null;
  has_totp: boolean;
}

export interface SignedIn {
  role: Role;
  csrf_token: string;
  expires_at: string;
}

export interface Session {
  admin: Admin | null;
  csrf_token: string | null;
  expires_at: string | null;
  /** Whether every admin needs a second factor. An admin without one can only enrol it. */
  totp_required: boolean;
}

export interface TotpEnrolment {
  secret: string;
  uri: string;
}

export interface AccessPolicy {
  totp_required: boolean;
}

export interface AdminToken {
  id: string;
  label: string;
  role: Role;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface PartnerName {
  id: string;
  name: string;
  status: "active" | "disabled";
}

export interface Partner extends PartnerName {
  created_at: string | null;
  metadata: Record<string, unknown>;
}

export interface Tier {
  up_to: number | null;
  unit_price: string;
}

export interface Pricing {
  plan: string | null;
  currency: string;
  monthly_fee: string;
  included_units: number;
  tiers: Tier[];
  vat_rate: string;
  effective_from: string | null;
}

export interface Plan {
  id: string;
  name: string;
  pricing: Pricing;
  is_archived: boolean;
  created_at: string;
}

export interface Quota {
  monthly_units: number | null;
  per_minute: number;
  burst: number;
  hard: boolean;
  spend_cap: string | null;
}

export type AssistantMode = "disabled" | "rules" | "model";

export interface AssistantPolicy {
  mode: AssistantMode;
  monthly_calls: number | null;
  monthly_tokens: number | null;
}

export type KeyStatus = "active" | "revoked" | "expired";
export const KEY_STATUSES: readonly KeyStatus[] = ["active", "expired", "revoked"];

export const SCOPES = [
  "addresses.resolve",
  "land-units.geojson",
  "assistant.divide-land",
  "usage",
  "coverage",
] as const;

export interface ApiKey {
  id: string;
  partner: PartnerName;
  label: string;
  mode: "live" | "test";
  status: KeyStatus;
  masked: string;
  pricing: Pricing | null;
  quota: Quota;
  assistant_policy: AssistantPolicy;
  scopes: string[];
  allowed_cidrs: string[];
  expires_at: string | null;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  month_usage: { month: string | null; requests: number; errors: number; units: number };
  metadata: Record<string, unknown>;
  previous_secret_expires_at: string | null;
}

export interface IssuedKey {
  key: ApiKey;
  secret: string;
}

export type Bucket = "hour" | "day" | "month";

export interface UsagePoint {
  from: string;
  requests: number;
  errors: number;
  average_latency_ms: number | null;
  units: number;
}

export interface TopKey {
  key_id: string;
  key: string;
  label: string;
  partner: PartnerName;
  requests: number;
  errors: number;
  units: number;
  estimated_cost: string;
  currency: string;
}

export interface BillLine {
  kind: string;
  description: string;
  units: number;
  unit_price: string;
  amount: string;
}

export interface Bill {
  key_id: string;
  partner: PartnerName;
  units: number;
  included_units: number;
  lines: BillLine[];
  currency: string;
  net: string;
  vat: string;
  gross: string;
}

export interface BillingPreview {
  month: string;
  provisional: boolean;
  as_of: string;
  keys: Bill[];
}

export interface UsageReport {
  range: { from: string; to: string; bucket: Bucket };
  summary: {
    requests: number;
    errors: number;
    average_latency_ms: number | null;
    active_keys: number;
    units: number;
  };
  top_keys: TopKey[];
  timeline: UsagePoint[];
  billing_preview: BillingPreview | null;
}

export interface AuditEntry {
  id: number;
  occurred_at: string;
  actor: string;
  action: string;
  subject: string;
  changes: Record<string, unknown>;
  client_address: string | null;
}
