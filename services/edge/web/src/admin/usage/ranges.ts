// The ranges of a usage report, in days of Europe/Paris.
import type { Bucket } from "../../api/types";
import { plusDays, plusMonths, todayInParis } from "../../shell/format";

export const PRESETS = ["today", "week", "month", "last", "year", "custom"] as const;
export type Preset = (typeof PRESETS)[number];

/** Both days are in the range. */
export interface DayRange {
  from: string;
  to: string;
}

/** The bucket of a preset; a custom range has buckets of a day. */
export const BUCKET_OF: Record<Preset, Bucket> = {
  today: "hour",
  week: "day",
  month: "day",
  last: "day",
  year: "month",
  custom: "day",
};

export function rangeOf(preset: Preset, params: URLSearchParams, today = todayInParis()): DayRange {
  const month = today.slice(0, 7);
  switch (preset) {
    case "today":
      return { from: today, to: today };
    case "week":
      return { from: plusDays(today, -6), to: today };
    case "month":
      return { from: `${month}-01`, to: today };
    case "last":
      return { from: `${plusMonths(month, -1)}-01`, to: plusDays(`${month}-01`, -1) };
    case "year":
      return { from: `${plusMonths(month, -11)}-01`, to: today };
    case "custom":
      return { from: day(params.get("from")) ?? `${month}-01`, to: day(params.get("to")) ?? today };
  }
}

/** The parameters of the range of one bucket, in finer buckets. An hour has none. */
export function within(from: string, bucket: Bucket): Record<string, string> | null {
  if (bucket === "hour") return null;
  const first = todayInParis(new Date(from));
  if (bucket === "day") return { range: "custom", from: first, to: first, by: "hour" };
  const month = first.slice(0, 7);
  return { range: "custom", from: first, to: plusDays(`${plusMonths(month, 1)}-01`, -1), by: "day" };
}

function day(text: string | null): string | null {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : null;
}
