// The members of a key, by name.
import type { ReactNode } from "react";
import type { ApiKey } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { FactList } from "../components/FactList";
import { adminTexts } from "../texts";
import { FactLines, Notes, StatusBadge, useKeyFacts } from "./cells";
import { keyTexts } from "./texts";

/** `more` are added after the pricing. */
export function KeyFactList({ apiKey, more = [] }: { apiKey: ApiKey; more?: readonly [string, ReactNode][] }) {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const { usage, pricing, quota, assistant } = useKeyFacts()(apiKey);
  const instant = (at: string | null) => (at === null ? a.never : f.instant(at));
  const facts: [string, ReactNode][] = [
    [a.partner, <bdi key="partner">{apiKey.partner.name}</bdi>],
    [a.label, <bdi key="label">{apiKey.label}</bdi>],
    [a.status, <StatusBadge key="status" apiKey={apiKey} />],
    [t.key, <code key="key">{apiKey.masked}</code>],
    [t.mode, apiKey.mode === "test" ? t.test : t.live],
    [t.monthUsage, <FactLines key="usage" fact={usage} />],
    [t.pricing, <FactLines key="pricing" fact={pricing} />],
    ...more,
    [t.quota, <FactLines key="quota" fact={quota} />],
    [t.assistant, <FactLines key="assistant" fact={assistant} />],
    [t.scopes, apiKey.scopes.length ? apiKey.scopes.join(", ") : t.allScopes],
    [t.cidrs, apiKey.allowed_cidrs.length ? apiKey.allowed_cidrs.join(", ") : t.allAddresses],
    [t.expiresAt, instant(apiKey.expires_at)],
    [t.lastUse, instant(apiKey.last_used_at)],
    [a.createdOn, instant(apiKey.created_at)],
  ];
  if (apiKey.suspended_at) facts.push([t.suspendedOn, instant(apiKey.suspended_at)]);
  if (apiKey.revoked_at) facts.push([t.revokedOn, instant(apiKey.revoked_at)]);
  if (apiKey.previous_secret_expires_at) facts.push([t.graceUntil, instant(apiKey.previous_secret_expires_at)]);
  if (Object.keys(apiKey.metadata).length) facts.push([t.metadata, <Notes key="notes" metadata={apiKey.metadata} />]);
  return <FactList facts={facts} />;
}
