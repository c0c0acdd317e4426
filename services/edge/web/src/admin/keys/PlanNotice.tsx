// In the form of a key: how often the partner pays the chosen plan, if each key pays it.
import type { ApiKey, ListPage, Plan } from "../../api/types";
import { query } from "../client";
import { useRead } from "../components/loaded";
import { RepeatedPlanNotice } from "../plans/RepeatedPlanNotice";
import styles from "./KeyForm.module.css";

const MAX_KEYS = 200;

export function PlanNotice({
  plan,
  partnerId,
  apiKey,
}: {
  plan: Plan | undefined;
  /** Undefined for a new partner, which has no other keys. */
  partnerId: string | undefined;
  /** Undefined for a new key. */
  apiKey: ApiKey | undefined;
}) {
  const isPaidByKey =
    plan !== undefined && plan.pricing.charged_per !== "partner" && Number(plan.pricing.monthly_fee) > 0;
  const path = `/api-keys${query({ partner: partnerId, status: "active", limit: MAX_KEYS })}`;
  const keys = useRead<ListPage<ApiKey>>(path, { enabled: isPaidByKey && partnerId !== undefined });
  if (!isPaidByKey || partnerId === undefined) return null;
  const others = (keys.data?.items ?? []).filter(
    (key) => key.id !== apiKey?.id && key.mode === "live" && key.pricing?.plan === plan.name,
  );
  if (others.length === 0) return null;
  const isPlanned = apiKey?.pricing?.plan !== plan.name;
  return (
    <div className={styles.whole}>
      <RepeatedPlanNotice plan={plan} count={others.length + 1} isPlanned={isPlanned} inForm />
    </div>
  );
}
