// The bills of a month by partner: the amounts first, then the keys with their lines.
import { Button, Select } from "@mantine/core";
import { useState } from "react";
import type { BillingPreview } from "../../api/types";
import { capitalized, plusMonths, todayInParis, useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, Empty } from "../../shell/states";
import { Panel } from "../components/elements";
import { RepeatedPlanNotice } from "../plans/RepeatedPlanNotice";
import { address } from "../route";
import styles from "./Billing.module.css";
import { BillTables } from "./BillTables";
import { byPartner, type PartnerBills, sum } from "./bills";
import { usageTexts } from "./texts";

const MONTHS = 13;
const PAGE_SIZE = 50;

export function Billing({ preview, onMonth }: { preview: BillingPreview; onMonth: (month: string) => void }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const [shown, setShown] = useState(PAGE_SIZE);
  const now = todayInParis().slice(0, 7);
  const months = Array.from({ length: MONTHS }, (_, ago) => plusMonths(now, -ago));
  const partners = byPartner(preview.keys);
  const remaining = Math.min(PAGE_SIZE, partners.length - shown);
  return (
    <Panel
      title={capitalized(f.month(preview.month))}
      actions={
        <Select
          aria-label={t.month}
          data={[...new Set([preview.month, ...months])].map((month) => ({
            value: month,
            label: capitalized(f.month(month)),
          }))}
          value={preview.month}
          allowDeselect={false}
          onChange={(month) => month && onMonth(month)}
        />
      }
    >
      <BillingState preview={preview} />
      {partners.length === 0 ? (
        <Empty title={t.noBills}>{t.noBillsDetail}</Empty>
      ) : (
        <div className={styles.bills}>
          <Total partners={partners} />
          {partners.slice(0, shown).map((each) => (
            <PartnerDetails key={each.partner.id} of={each} />
          ))}
          {remaining > 0 && (
            <Button variant="default" onClick={() => setShown(shown + PAGE_SIZE)}>
              {t.more(remaining)}
            </Button>
          )}
        </div>
      )}
    </Panel>
  );
}

/** Whether the amounts of the month may still change. */
function BillingState({ preview }: { preview: BillingPreview }) {
  const t = useText(usageTexts);
  const f = useFormats();
  return (
    <p className={styles.state}>
      <Badge tone={preview.provisional ? "warning" : "success"}>{preview.provisional ? t.isOpen : t.isClosed}</Badge>
      {preview.provisional ? t.provisional(f.instant(preview.as_of)) : t.closed}
    </p>
  );
}

function PartnerDetails({ of }: { of: PartnerBills }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const units = of.bills.reduce((all, bill) => all + bill.units, 0);
  return (
    <details className={styles.bill}>
      <summary>
        <span className={styles.gross}>
          {f.money(of.gross, of.currency)} {t.gross}
        </span>
        <span className={styles.net}>
          {f.money(of.net, of.currency)} {t.net}
        </span>
        <bdi className={styles.of}>{of.partner.name}</bdi>
        <span className={styles.units}>
          {t.keysOf(of.keyCount)} · {t.unitsOf(units, f.number(units))}
        </span>
      </summary>
      <div className={styles.keys}>
        {of.repeatedPlans.map((plan) => (
          <RepeatedPlanNotice key={plan.id} plan={plan} count={plan.count} />
        ))}
        <BillTables of={of} />
        <a href={address("bills", { partner: of.partner.id, month: "all" })} className={styles.toPartner}>
          {t.documents}
        </a>
      </div>
    </details>
  );
}

function Total({ partners }: { partners: readonly PartnerBills[] }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const currency = partners[0]?.currency ?? "EUR";
  return (
    <p className={styles.total}>
      <span>{t.total}</span>
      <strong>
        {f.money(sum(partners.map((each) => each.gross)), currency)} {t.gross}
      </strong>
      <span>
        {f.money(sum(partners.map((each) => each.net)), currency)} {t.net}
      </span>
    </p>
  );
}
