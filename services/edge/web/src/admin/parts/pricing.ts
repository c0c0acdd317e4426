// The form values of pricing terms, and their conversion to the API. Money and rates are decimal texts.
import type { Pricing } from "../../api/types";

export interface TermsValues {
  monthly_fee: string;
  included_units: number | string;
  tiers: { up_to: number | string; unit_price: string }[];
  /** In per cent; the API uses a ratio. */
  vat_rate: string;
  /** YYYY-MM; empty for the default. */
  effective_from: string;
}

export const NEW_TERMS: TermsValues = {
  monthly_fee: "0",
  included_units: 0,
  tiers: [{ up_to: "", unit_price: "0.05" }],
  vat_rate: "20",
  effective_from: "",
};

export function termsValues(pricing: Pricing): TermsValues {
  return {
    monthly_fee: pricing.monthly_fee,
    included_units: pricing.included_units,
    tiers: pricing.tiers.map((tier) => ({ up_to: tier.up_to ?? "", unit_price: tier.unit_price })),
    vat_rate: shifted(pricing.vat_rate, 2),
    effective_from: "",
  };
}

export function termsBody(values: TermsValues): Record<string, unknown> {
  return {
    monthly_fee: decimal(values.monthly_fee) || "0",
    included_units: Number(values.included_units) || 0,
    tiers: values.tiers.map((tier) => ({
      up_to: tier.up_to === "" ? null : Number(tier.up_to),
      unit_price: decimal(tier.unit_price),
    })),
    vat_rate: shifted(decimal(values.vat_rate) || "0", -2),
    ...(values.effective_from ? { effective_from: values.effective_from } : {}),
  };
}

/** Replaces a decimal comma: "12,50" becomes "12.50". */
export function decimal(text: string): string {
  return text.replace(/\s/g, "").replace(",", ".");
}

/** The decimal text with its point moved to the right: ("0.055", 2) is "5.5". Other texts are unchanged. */
export function shifted(text: string, places: number): string {
  if (!/^\d+(\.\d+)?$/.test(text)) return text;
  const [whole = "", part = ""] = text.split(".");
  const pad = "0".repeat(Math.abs(places));
  const digits = pad + whole + part + pad;
  const point = pad.length + whole.length + places;
  const moved = `${digits.slice(0, point)}.${digits.slice(point)}`;
  return moved.replace(/^0+(?=\d)/, "").replace(/\.?0*$/, "");
}
