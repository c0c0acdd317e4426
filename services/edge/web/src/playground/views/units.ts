// Values with units, formatted for the page's language; null if the value is unknown.
import { useMemo } from "react";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { viewTexts } from "./texts";

type Maybe<T> = T | null | undefined;

export interface Units {
  area: (value: Maybe<number>) => string | null;
  length: (value: Maybe<number>) => string | null;
  ratio: (value: Maybe<number>) => string | null;
  euros: (value: Maybe<number>) => string | null;
  count: (value: Maybe<number>) => string | null;
  date: (value: unknown) => string | null;
  yesNo: (value: Maybe<boolean>) => string | null;
}

export function useUnits(): Units {
  const formats = useFormats();
  const t = useText(viewTexts);
  return useMemo(() => {
    const known =
      <T>(write: (value: T) => string) =>
      (value: Maybe<T>) =>
        value === null || value === undefined ? null : write(value);
    const rounded = (value: number) => formats.number(Math.round(value * 10) / 10);
    return {
      area: known((value) => `${rounded(value)} m²`),
      length: known((value) => `${rounded(value)} m`),
      ratio: known((value) => formats.percent(value)),
      euros: known((value) => formats.money(String(value), "EUR").replace(/[.,]00(?=\D*$)/, "")),
      count: known((value) => formats.number(value)),
      date: (value) => (typeof value === "string" && value !== "" ? formats.date(value) : null),
      yesNo: known((value) => (value ? t.yes : t.no)),
    };
  }, [formats, t]);
}
