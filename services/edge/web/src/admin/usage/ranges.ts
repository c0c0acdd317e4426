// The ranges of a usage report, in days of Europe/Paris, and the range before each.
import type { Bucket } from "../../api/types";
import { parisTime, plusDays, plusMonths, todayInParis } from "../../shell/format";

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

/** How many months a preset goes back. The others go back by their own number of days. */
const MONTHS_OF: Partial<Record<Preset, number>> = { month: 1, last: 1, year: 12 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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

/** The range before, as long as this one. Its end is an instant if this range ends today, at the same hour. */
export function rangeBefore(preset: Preset, range: DayRange, now = new Date()): DayRange {
  const count = MONTHS_OF[preset];
  const length = daysBetween(range.from, range.to) + 1;
  const from = count === undefined ? plusDays(range.from, -length) : `${plusMonths(range.from.slice(0, 7), -count)}-01`;
  if (range.to !== todayInParis(now)) return { from, to: plusDays(range.from, -1) };
  const back = count === undefined ? length : daysBetween(sameDay(range.to, -count), range.to);
  const hour = Math.ceil(daysBack(now, back).getTime() / HOUR_MS) * HOUR_MS;
  return { from, to: new Date(hour).toISOString() };
}

/** The parameters of the range of one bucket, in finer buckets. An hour has none. */
export function within(from: string, bucket: Bucket): Record<string, string> | null {
  if (bucket === "hour") return null;
  const first = todayInParis(new Date(from));
  if (bucket === "day") return { range: "custom", from: first, to: first, by: "hour" };
  const month = first.slice(0, 7);
  return { range: "custom", from: first, to: plusDays(`${plusMonths(month, 1)}-01`, -1), by: "day" };
}

/** The instant with the same time of day in Europe/Paris, also across a change of the clock. */
function daysBack(now: Date, days: number): Date {
  const then = now.getTime() - days * DAY_MS;
  const shift = parisTime(now) - parisTime(new Date(then)) - days * DAY_MS;
  return new Date(then + shift);
}

function sameDay(today: string, months: number): string {
  const month = plusMonths(today.slice(0, 7), months);
  const last = plusDays(`${plusMonths(month, 1)}-01`, -1);
  const same = `${month}-${today.slice(8)}`;
  return same < last ? same : last;
}

function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS);
}

function day(text: string | null): string | null {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : null;
}
