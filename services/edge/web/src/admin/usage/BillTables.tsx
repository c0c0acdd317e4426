// The keys of a partner with the lines of their bills, and the partner's sums.
import type { Bill } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import styles from "./Billing.module.css";
import { type PartnerBills, shownLines } from "./bills";
import { usageTexts } from "./texts";

export function BillTables({ of }: { of: PartnerBills }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const money = (amount: string) => f.money(amount, of.currency);
  const vat = of.vatRates.length ? t.vatAt(of.vatRates.map(f.rate).join(" + ")) : t.vat;
  return (
    <table className={styles.lines}>
      <thead>
        <tr>
          <th scope="col">{t.line}</th>
          <th scope="col">{t.units}</th>
          <th scope="col">{t.unitPrice}</th>
          <th scope="col">{t.amount}</th>
        </tr>
      </thead>
      {of.bills.map((bill) => (
        <tbody key={bill.key_id || bill.plan_id}>
          <tr className={styles.key}>
            <th scope="rowgroup" colSpan={3}>
              <Payer bill={bill} />{" "}
              <small>
                {bill.units > 0 && t.unitsOf(bill.units, f.number(bill.units))}
                {bill.included_units > 0 && ` · ${t.included(f.number(bill.included_units))}`}
              </small>
            </th>
            <td>{money(bill.net)}</td>
          </tr>
          {bill.keys
            .filter((key) => key.units > 0)
            .map((key) => (
              <tr key={key.key_id} className={styles.sharing}>
                <td>
                  <KeyName id={key.key_id} label={key.label} />
                </td>
                <td>{f.number(key.units)}</td>
                <td />
                <td />
              </tr>
            ))}
          {shownLines(bill).map((line) => (
            <tr key={`${line.kind} ${line.description}`}>
              <td>{line.description}</td>
              <td>{line.units === 0 ? "" : f.number(line.units)}</td>
              <td>{line.kind === "tier" ? money(line.unit_price) : ""}</td>
              <td>{money(line.amount)}</td>
            </tr>
          ))}
        </tbody>
      ))}
      <tfoot>
        <Sum name={t.net} amount={money(of.net)} />
        <Sum name={vat} amount={money(of.vat)} />
        <Sum name={t.gross} amount={money(of.gross)} />
      </tfoot>
    </table>
  );
}

/** The key that pays the bill, or the plan that several keys share. */
function Payer({ bill }: { bill: Bill }) {
  const t = useText(usageTexts);
  if (bill.key_id) return <KeyName id={bill.key_id} label={bill.label} />;
  return <bdi>{t.sharedPlan(bill.plan ?? "")}</bdi>;
}

function KeyName({ id, label }: { id: string; label: string }) {
  const t = useText(usageTexts);
  return (
    <>
      <bdi>{label || t.key}</bdi> <code>{id}</code>
    </>
  );
}

function Sum({ name, amount }: { name: string; amount: string }) {
  return (
    <tr>
      <th scope="row" colSpan={3}>
        {name}
      </th>
      <td>{amount}</td>
    </tr>
  );
}
