// Formats numbers, money and dates for the page's language. Billing days are always in Europe/Paris.
import { useMemo } from "react";
import { type Language, useLanguage } from "./language";

const LOCALES: Record<Language, string> = { fr: "fr-FR", en: "en-GB" };
const BILLING_ZONE = "Europe/Paris";

export interface Formats {
  number: (value: number) => string;
  /** With two decimals, as lengths on a plan. */
  hundredths: (value: number) => string;
  /** With one decimal, as lengths on a small plan. */
  tenths: (value: number) => string;
  /** Of latitude or longitude, with five decimals: to a metre. */
  degrees: (value: number) => string;
  /** A scale or a rate with all its digits. */
  factor: (value: number) => string;
  /** 0.123 is 12.3 %. */
  percent: (ratio: number) => string;
  /** A VAT rate such as "0.055", with all its digits. */
  rate: (ratio: string) => string;
  /** From a decimal text such as "12.3400". Keeps digits after the cents, without trailing zeros. */
  money: (amount: string, currency: string) => string;
  milliseconds: (value: number | null) => string;
  instant: (at: string) => string;
  /** With its seconds, and without its year. */
  second: (at: string) => string;
  date: (at: string) => string;
  /** YYYY-MM. */
  month: (month: string) => string;
  /** "3 days ago". The exact date belongs in a title. */
  ago: (at: string) => string;
}

export function useFormats(): Formats {
  const { language } = useLanguage();
  return useMemo(() => formats(LOCALES[language]), [language]);
}

function formats(locale: string): Formats {
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const factor = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 });
  const rate = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 6 });
  const tenth = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const hundredth = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const degrees = new Intl.NumberFormat(locale, { minimumFractionDigits: 5, maximumFractionDigits: 5 });
  const zone = { timeZone: BILLING_ZONE };
  const instant = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "medium", timeStyle: "short" });
  const second = new Intl.DateTimeFormat(locale, {
    ...zone,
    day: "2-digit",
    month: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const date = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "medium" });
  const month = new Intl.DateTimeFormat(locale, { timeZone: "UTC", month: "long", year: "numeric" });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  // French has an ordinal for the first day of a month only: "1er juin".
  const ordinal = (text: string) => (locale === LOCALES.fr ? text.replace(/^1(?=\s)/, "1er") : text);
  return {
    number: (value) => number.format(value),
    hundredths: (value) => hundredth.format(value),
    tenths: (value) => tenths.format(value),
    degrees: (value) => degrees.format(value),
    factor: (value) => factor.format(value),
    percent: (ratio) => percent.format(ratio),
    rate: (ratio) => rate.format(Number(ratio)),
    money: (amount, currency) => {
      const decimals = (amount.split(".")[1] ?? "").replace(/0+$/, "").length;
      const style = { style: "currency", currency, minimumFractionDigits: 2 } as const;
      // Formats the decimal text without a conversion to float.
      return new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: Math.max(2, decimals) }).format(
        amount as Intl.StringNumericLiteral,
      );
    },
    milliseconds: (value) =>
      value === null ? "–" : `${value < 10 ? tenth.format(value) : number.format(Math.round(value))} ms`,
    instant: (at) => ordinal(instant.format(new Date(at))),
    second: (at) => second.format(new Date(at)),
    date: (at) => ordinal(date.format(new Date(at))),
    month: (text) => month.format(new Date(`${text}-01T00:00:00Z`)),
    ago: (at) => ago(relative, (Date.parse(at) - Date.now()) / 1000),
  };
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

function ago(relative: Intl.RelativeTimeFormat, seconds: number): string {
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function todayInParis(now = new Date()): string {
  // Swedish dates have the ISO format
  return new Intl.DateTimeFormat("sv-SE", { timeZone: BILLING_ZONE, dateStyle: "short" }).format(now);
}

export function plusDays(day: string, count: number): string {
  const moved = new Date(`${day}T00:00:00Z`);
  moved.setUTCDate(moved.getUTCDate() + count);
  return moved.toISOString().slice(0, 10);
}

/** YYYY-MM in and out. */
export function plusMonths(month: string, count: number): string {
  const moved = new Date(`${month}-01T00:00:00Z`);
  moved.setUTCMonth(moved.getUTCMonth() + count);
  return moved.toISOString().slice(0, 7);
}
