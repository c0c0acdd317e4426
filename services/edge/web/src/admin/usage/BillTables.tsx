// The keys of a partner with the lines of their bills, and the partner's sums.
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import styles from "./Billing.module.css";
import { type PartnerBills, shownLines } from "./bills";
import { usageTexts } from "./texts";

export function BillTables({ of }: { of: PartnerBills }) {
  const t = useText(usageTexts);
  const f = useFormats();
  const money = (amount: string) => f.money(amount, of.currency);
  const vat = of.vatRates?.length ? t.vatAt(of.vatRates.map(f.rate).join(" + ")) : t.vat;
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
        <tbody key={bill.key_id}>
          <tr className={styles.key}>
            <th scope="rowgroup" colSpan={3}>
              <bdi>{bill.label || t.key}</bdi> <code>{bill.key_id}</code>{" "}
              <small>
                {t.unitsOf(bill.units, f.number(bill.units))}
                {bill.included_units > 0 && ` · ${t.included(f.number(bill.included_units))}`}
              </small>
            </th>
            <td>{money(bill.net)}</td>
          </tr>
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
