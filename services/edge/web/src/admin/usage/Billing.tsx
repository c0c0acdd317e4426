// The billing preview of a month, by key and by line.
import { Button, Select } from "@mantine/core";
import { useState } from "react";
import type { Bill, BillingPreview } from "../../api/types";
import { plusMonths, todayInParis, useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, Empty } from "../../shell/states";
import { Panel } from "../components/elements";
import styles from "./Billing.module.css";
import { usageTexts } from "./texts";

const MONTHS = 13;
const PAGE_SIZE = 50;

export function Billing({ preview, onMonth }: { preview: BillingPreview; onMonth: (month: string) => void }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const [shown, setShown] = useState(PAGE_SIZE);
  const now = todayInParis().slice(0, 7);
  const months = Array.from({ length: MONTHS }, (_, ago) => plusMonths(now, -ago));
  const bills = preview.keys;
  const remaining = Math.min(PAGE_SIZE, bills.length - shown);
  return (
    <Panel
      title={t.billing}
      actions={
        <Select
          aria-label={t.month}
          data={[...new Set([preview.month, ...months])].map((month) => ({ value: month, label: f.month(month) }))}
          value={preview.month}
          allowDeselect={false}
          onChange={(month) => month && onMonth(month)}
        />
      }
    >
      <p className={styles.state}>
        <Badge tone={preview.provisional ? "warning" : "success"}>{f.month(preview.month)}</Badge>
        {preview.provisional ? t.provisional(f.instant(preview.as_of)) : t.closed}
      </p>
      {bills.length === 0 ? (
        <Empty title={t.noBills}>{t.noBillsDetail}</Empty>
      ) : (
        <div className={styles.bills}>
          {bills.slice(0, shown).map((bill) => (
            <BillDetails key={bill.key_id} bill={bill} />
          ))}
          {remaining > 0 && (
            <Button variant="default" onClick={() => setShown(shown + PAGE_SIZE)}>
              {t.more(remaining)}
            </Button>
          )}
          <Total bills={bills} />
        </div>
      )}
    </Panel>
  );
}

function BillDetails({ bill }: { bill: Bill }) {
  const t = useText(usageTexts);
  const f = useFormats();
  return (
    <details className={styles.bill}>
      <summary>
        <span className={styles.of}>
          <bdi>{bill.partner.name}</bdi>
          <code>{bill.key_id}</code>
        </span>
        <span className={styles.units}>
          {f.number(bill.units)} {t.units.toLowerCase()} · {t.included(f.number(bill.included_units))}
        </span>
        <span className={styles.gross}>
          {f.money(bill.gross, bill.currency)} {t.gross}
        </span>
      </summary>
      <table className={styles.lines}>
        <thead>
          <tr>
            <th scope="col">{t.line}</th>
            <th scope="col">{t.units}</th>
            <th scope="col">{t.unitPrice}</th>
            <th scope="col">{t.amount}</th>
          </tr>
        </thead>
        <tbody>
          {bill.lines.map((line) => (
            <tr key={`${line.kind} ${line.description}`}>
              <td>{line.description}</td>
              <td>{line.kind === "monthly_fee" ? "" : f.number(line.units)}</td>
              <td>{line.kind === "tier" ? f.money(line.unit_price, bill.currency) : ""}</td>
              <td>{f.money(line.amount, bill.currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {(["net", "vat", "gross"] as const).map((name) => (
            <tr key={name}>
              <th scope="row" colSpan={3}>
                {t[name]}
              </th>
              <td>{f.money(bill[name], bill.currency)}</td>
            </tr>
          ))}
        </tfoot>
      </table>
    </details>
  );
}

function Total({ bills }: { bills: readonly Bill[] }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const currency = bills[0]?.currency ?? "EUR";
  return (
    <p className={styles.total}>
      <span>{t.total}</span>
      <span>
        {f.money(sum(bills.map((bill) => bill.net)), currency)} {t.net}
      </span>
      <strong>
        {f.money(sum(bills.map((bill) => bill.gross)), currency)} {t.gross}
      </strong>
    </p>
  );
}

/** Adds amounts in whole cents, without floats. */
function sum(amounts: readonly string[]): string {
  const cents = amounts.reduce((all, amount) => all + BigInt(amount.replace(".", "")), 0n);
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
