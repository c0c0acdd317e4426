// The fields of pricing terms, and their conversion to the API. Money and rates are decimal texts.
import { ActionIcon, Button, NumberInput, Select, Switch } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Pricing } from "../../api/types";
import { plusMonths, todayInParis, useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { translations, useText } from "../../shell/language";
import { DecimalField } from "./fields";
import styles from "./PricingFields.module.css";
import plain from "./pricingFieldsTexts.json";

const texts = translations(plain);

export interface TermsValues {
  monthly_fee: string;
  is_pro_rata: boolean;
  included_units: number | string;
  tiers: { up_to: number | string; unit_price: string }[];
  /** In per cent; the API uses a ratio. */
  vat_rate: string;
  /** YYYY-MM; empty for the default. */
  effective_from: string;
}

export const NEW_TERMS: TermsValues = {
  monthly_fee: "0",
  is_pro_rata: false,
  included_units: 0,
  tiers: [{ up_to: "", unit_price: "0.05" }],
  vat_rate: "20",
  effective_from: "",
};

export function termsValues(pricing: Pricing): TermsValues {
  return {
    monthly_fee: pricing.monthly_fee,
    is_pro_rata: pricing.is_pro_rata,
    included_units: pricing.included_units,
    tiers: pricing.tiers.map((tier) => ({ up_to: tier.up_to ?? "", unit_price: tier.unit_price })),
    vat_rate: shiftDecimalPoint(pricing.vat_rate, 2),
    effective_from: "",
  };
}

export function termsBody(values: TermsValues): Record<string, unknown> {
  return {
    monthly_fee: normaliseDecimal(values.monthly_fee) || "0",
    is_pro_rata: values.is_pro_rata,
    included_units: Number(values.included_units) || 0,
    tiers: values.tiers.map((tier) => ({
      up_to: tier.up_to === "" ? null : Number(tier.up_to),
      unit_price: normaliseDecimal(tier.unit_price),
    })),
    vat_rate: shiftDecimalPoint(normaliseDecimal(values.vat_rate) || "0", -2),
    ...(values.effective_from ? { effective_from: values.effective_from } : {}),
  };
}

/** Replaces a decimal comma: "12,50" becomes "12.50". */
export function normaliseDecimal(text: string): string {
  return text.replace(/\s/g, "").replace(",", ".");
}

/** The decimal text with its point moved to the right: ("0.055", 2) is "5.5". Other texts are unchanged. */
export function shiftDecimalPoint(text: string, places: number): string {
  if (!/^\d+(\.\d+)?$/.test(text)) return text;
  const [whole = "", part = ""] = text.split(".");
  const pad = "0".repeat(Math.abs(places));
  const digits = pad + whole + part + pad;
  const point = pad.length + whole.length + places;
  const moved = `${digits.slice(0, point)}.${digits.slice(point)}`;
  return moved.replace(/^0+(?=\d)/, "").replace(/\.?0*$/, "");
}

interface HasTerms {
  price?: string;
  pricing: TermsValues;
}

/** The rules of tiers: each needs a price, and all but the last an end. */
export function useTierRules() {
  const t = useText(texts);
  const rule = (value: number | string, { price = "own", pricing }: HasTerms, path: string) => {
    const [, , index, name] = path.split(".");
    const isOpen = name === "up_to" && Number(index) === pricing.tiers.length - 1;
    return price !== "own" || isOpen || String(value).trim() ? null : t.missing(Number(index) + 1);
  };
  return { up_to: rule, unit_price: rule };
}

export function PricingFields<Values extends HasTerms>({ form }: { form: UseFormReturnType<Values> }) {
  const t = useText(texts);
  // The form type lists each path. The paths used here exist in every form with terms.
  const terms = form as unknown as UseFormReturnType<HasTerms>;
  const { tiers } = terms.values.pricing;
  const last = tiers.length - 1;
  return (
    <div className={styles.terms}>
      <div className={styles.fields}>
        <DecimalField label={t.fee} {...terms.getInputProps("pricing.monthly_fee")} />
        <NumberInput
          label={t.included}
          min={0}
          allowDecimal={false}
          thousandSeparator=" "
          {...terms.getInputProps("pricing.included_units")}
        />
        <DecimalField label={t.vat} {...terms.getInputProps("pricing.vat_rate")} />
        <StartingMonth form={terms} />
      </div>
      <Switch label={t.proRata} {...terms.getInputProps("pricing.is_pro_rata", { type: "checkbox" })} />
      <fieldset className={styles.tiers}>
        <legend>{t.tiers}</legend>
        {tiers.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a tier has no id
          <div key={index} className={styles.tier}>
            {index === last ? (
              <span className={styles.rest}>{t.rest}</span>
            ) : (
              <NumberInput
                aria-label={t.upTo(index + 1)}
                placeholder={t.upTo(index + 1)}
                min={1}
                allowDecimal={false}
                thousandSeparator=" "
                {...terms.getInputProps(`pricing.tiers.${index}.up_to`)}
              />
            )}
            <DecimalField
              aria-label={t.price(index + 1)}
              rightSection="€"
              {...terms.getInputProps(`pricing.tiers.${index}.unit_price`)}
            />
            {index !== last && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t.remove(index + 1)}
                onClick={() => terms.removeListItem("pricing.tiers", index)}
              >
                <Icon name="trash" />
              </ActionIcon>
            )}
          </div>
        ))}
        {terms.errors["pricing.tiers"] && (
          <p className={styles.error} role="alert">
            {terms.errors["pricing.tiers"]}
          </p>
        )}
        <Button
          variant="subtle"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => terms.insertListItem("pricing.tiers", { up_to: "", unit_price: "" }, last)}
        >
          {t.add}
        </Button>
      </fieldset>
    </div>
  );
}

/** The first month of the terms. The default is this month for the first terms, and the next month for later ones. */
export function StartingMonth<Values extends HasTerms>({ form }: { form: UseFormReturnType<Values> }) {
  const t = useText(texts);
  const { month } = useFormats();
  const terms = form as unknown as UseFormReturnType<HasTerms>;
  const from = terms.values.pricing.effective_from;
  return (
    <Select
      label={t.from}
      placeholder={t.fromRule}
      clearable={from !== ""}
      data={comingMonths().map((each) => ({ value: each, label: month(each) }))}
      {...terms.getInputProps("pricing.effective_from")}
      value={from || null}
      onChange={(value) => terms.setFieldValue("pricing.effective_from", value ?? "")}
    />
  );
}

const MONTHS_AHEAD = 12;

function comingMonths(): string[] {
  const month = todayInParis().slice(0, 7);
  return Array.from({ length: MONTHS_AHEAD }, (_, ahead) => plusMonths(month, ahead));
}
