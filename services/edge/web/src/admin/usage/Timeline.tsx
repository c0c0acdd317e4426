// Requests over time as bars, with errors at the bottom of each. A table shows the same numbers.
import { useElementSize } from "@mantine/hooks";
import { useMemo, useState } from "react";
import type { Bucket, UsagePoint } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useLanguage, useText } from "../../shell/language";
import styles from "./Timeline.module.css";
import { usageTexts } from "./texts";

const HEIGHT = 240;
const TOP = 12;
const BOTTOM = 28;
const LEFT = 56;
const RIGHT = 8;
const LABEL_WIDTH = 84;
const MAX_BAR = 48;

export function Timeline({
  points,
  bucket,
  onSelect,
}: {
  points: readonly UsagePoint[];
  bucket: Bucket;
  /** Called with the start of a bar that was clicked. */
  onSelect?: (from: string) => void;
}) {
  const t = useText(usageTexts);
  const f = useFormats();
  const label = useBucketLabel(bucket);
  const { ref, width } = useElementSize();
  const [hovered, setHovered] = useState<number | null>(null);
  const ticks = useMemo(() => niceTicks(Math.max(0, ...points.map((point) => point.requests))), [points]);
  const max = ticks[ticks.length - 1] ?? 1;
  const step = points.length > 0 ? Math.max(0, width - LEFT - RIGHT) / points.length : 0;
  const bar = Math.min(MAX_BAR, step > 4 ? step - Math.min(4, step / 4) : step);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / max);
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / Math.max(step, 0.01)));
  const sum = (name: "requests" | "errors") => f.number(points.reduce((all, point) => all + point[name], 0));
  const shown = hovered === null ? undefined : points[hovered];
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.legend}>
        <span data-of="served">{t.served}</span>
        <span data-of="errors">{t.errors}</span>
        <output className={styles.hovered}>
          {shown &&
            t.bar(
              label(shown.from),
              f.number(shown.requests),
              f.number(shown.errors),
              f.milliseconds(shown.average_latency_ms),
            )}
        </output>
      </figcaption>
      <div ref={ref} className={styles.frame}>
        <svg
          width={width}
          height={HEIGHT}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          role="img"
          aria-label={t.chartOf(sum("requests"), sum("errors"))}
          onPointerLeave={() => setHovered(null)}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line className={styles.grid} x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
              <text className={styles.tick} x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                {f.number(tick)}
              </text>
            </g>
          ))}
          {points.map((point, index) => {
            const left = LEFT + index * step + (step - bar) / 2;
            const served = point.requests - point.errors;
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the table offers the same choice to the keyboard
              <g
                key={point.from}
                onClick={() => onSelect?.(point.from)}
                onPointerEnter={() => setHovered(index)}
                data-selects={(onSelect && bucket !== "hour") || undefined}
                data-hovered={index === hovered || undefined}
              >
                <rect
                  className={styles.area}
                  x={LEFT + index * step}
                  y={TOP}
                  width={step}
                  height={HEIGHT - TOP - BOTTOM}
                />
                <rect
                  className={styles.errors}
                  x={left}
                  y={y(point.errors)}
                  width={bar}
                  height={y(0) - y(point.errors)}
                />
                <rect
                  className={styles.served}
                  x={left}
                  y={y(point.requests)}
                  width={bar}
                  height={Math.max(0, y(0) - y(served))}
                />
                {index % every === 0 && (
                  <text className={styles.tick} x={LEFT + (index + 0.5) * step} y={HEIGHT - 8} textAnchor="middle">
                    {label(point.from)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
    </figure>
  );
}

/** A short label for the hour, day or month of a bucket. */
export function useBucketLabel(bucket: Bucket): (from: string) => string {
  const { language } = useLanguage();
  return useMemo(() => {
    const parts: Record<Bucket, Intl.DateTimeFormatOptions> = {
      hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
      day: { day: "numeric", month: "short" },
      month: { month: "short", year: "numeric" },
    };
    const format = new Intl.DateTimeFormat(language === "fr" ? "fr-FR" : "en-GB", {
      timeZone: "Europe/Paris",
      ...parts[bucket],
    });
    return (from) => format.format(new Date(from));
  }, [language, bucket]);
}

/** From 0 to just above the greatest value, in steps of 1, 2 or 5 times a power of ten. */
function niceTicks(greatest: number): number[] {
  const rough = Math.max(1, greatest) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough);
  const count = Math.max(1, Math.ceil(greatest / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
