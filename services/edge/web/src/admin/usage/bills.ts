// The bills of a month by partner. Amounts are added in whole cents, without floats.
import type { Bill } from "../../api/types";

export interface RepeatedPlan {
  id: string;
  name: string;
  count: number;
}

export interface PartnerBills {
  partner: Bill["partner"];
  /** The bills with an amount, the highest first. */
  bills: readonly Bill[];
  currency: string;
  net: string;
  vat: string;
  gross: string;
  /** How many keys the bills have. */
  keyCount: number;
  /** The plans whose fee several keys pay, each for itself. */
  repeatedPlans: readonly RepeatedPlan[];
  /** The VAT rates of the lines, such as "0.20". */
  vatRates: readonly string[];
}

/** The partners with an amount, the highest first. */
export function byPartner(bills: readonly Bill[]): PartnerBills[] {
  const shownBills = bills.filter((bill) => shownLines(bill).length > 0);
  const groups = Map.groupBy(shownBills, ({ partner }) => partner.id);
  return [...groups.values()].map(ofPartner).sort(byGross);
}

/** The lines with an amount. A bill whose lines cancel out keeps them. */
export function shownLines(bill: Bill): Bill["lines"] {
  return bill.lines.filter((line) => cents(line.amount) !== 0n);
}

export function sum(amounts: readonly string[]): string {
  const total = amounts.reduce((all, amount) => all + cents(amount), 0n);
  const digits = String(total < 0n ? -total : total).padStart(3, "0");
  return `${total < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function ofPartner(bills: Bill[]): PartnerBills {
  const first = bills[0] as Bill;
  const lines = bills.flatMap(shownLines);
  const rates = lines.map((line) => Number(line.vat_rate));
  const total = (name: "net" | "vat" | "gross") => sum(bills.map((bill) => bill[name]));
  return {
    partner: first.partner,
    bills: bills.sort(byGross),
    currency: first.currency,
    net: total("net"),
    vat: total("vat"),
    gross: total("gross"),
    keyCount: new Set(bills.flatMap((bill) => (bill.key_id ? [bill.key_id] : bill.keys.map((key) => key.key_id)))).size,
    repeatedPlans: repeatedPlans(bills),
    vatRates: [...new Set(rates)].sort().map(String),
  };
}

function repeatedPlans(bills: readonly Bill[]): RepeatedPlan[] {
  const plans = new Map<string, RepeatedPlan>();
  for (const bill of bills) {
    const hasFee = shownLines(bill).some((line) => line.kind === "monthly_fee");
    if (bill.charged_per !== "key" || bill.plan_id === null || !hasFee) continue;
    const count = (plans.get(bill.plan_id)?.count ?? 0) + 1;
    plans.set(bill.plan_id, { id: bill.plan_id, name: bill.plan ?? "", count });
  }
  return [...plans.values()].filter((plan) => plan.count > 1);
}

function byGross(one: { gross: string }, other: { gross: string }): number {
  return Number(cents(other.gross) - cents(one.gross));
}

function cents(amount: string): bigint {
  return BigInt(amount.replace(".", ""));
}
