// Ranges of days in Europe/Paris for the usage report. `to` is the first day after the range.

import type { Bucket } from "../../api/types";
import { BILLING_ZONE } from "../../shell/format";

export const PRESETS = ["today", "week", "month", "last", "year", "custom"] as const;
export type Preset = (typeof PRESETS)[number];

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

export function rangeOf(preset: Exclude<Preset, "custom">, today = todayInParis()): DayRange {
  const tomorrow = plusDays(today, 1);
  const month = today.slice(0, 7);
  switch (preset) {
    case "today":
      return { from: today, to: tomorrow };
    case "week":
      return { from: plusDays(today, -6), to: tomorrow };
    case "month":
      return { from: `${month}-01`, to: tomorrow };
    case "last":
      return { from: `${plusMonths(month, -1)}-01`, to: `${month}-01` };
    case "year":
      return { from: `${plusMonths(month, -11)}-01`, to: tomorrow };
  }
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
