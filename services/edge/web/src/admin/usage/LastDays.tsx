// The usage of the last 30 days, on the pages of a key and of a partner.
import type { ReactNode } from "react";
import type { UsageReport } from "../../api/types";
import { plusDays, todayInParis, useFormats } from "../../shell/format";
import { translations, useText } from "../../shell/language";
import { Empty } from "../../shell/states";
import { query } from "../client";
import { Panel } from "../components/elements";
import { Loaded, useRead } from "../components/loaded";
import { adminTexts } from "../texts";
import styles from "./LastDays.module.css";
import plain from "./lastDaysTexts.json";
import { Timeline } from "./Timeline";
import { usageTexts } from "./texts";

const DAYS = 30;

const texts = translations(plain);

interface LastDaysProps {
  of: { key_id: string } | { partner: string };
  /** More panels of the same report, unless it is empty. */
  children?: (report: UsageReport) => ReactNode;
}

/** Today and the 29 days before, in Europe/Paris. */
export function LastDays({ of, children }: LastDaysProps) {
  const t = useText(texts);
  const today = todayInParis();
  const wanted = query({ from: plusDays(today, 1 - DAYS), to: today, bucket: "day", ...of });
  const report = useRead<UsageReport>(`/usage${wanted}`);
  const used = report.data && report.data.summary.requests > 0 ? report.data : null;
  return (
    <>
      <Panel title={t.title}>
        <Loaded of={report}>
          {() =>
            used ? (
              <>
                <Totals summary={used.summary} />
                <Timeline points={used.timeline} bucket="day" />
              </>
            ) : (
              <Empty title={t.empty}>{t.emptyDetail}</Empty>
            )
          }
        </Loaded>
      </Panel>
      {used && children?.(used)}
    </>
  );
}

function Totals({ summary }: { summary: UsageReport["summary"] }) {
  const t = useText(usageTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  return (
    <p className={styles.totals}>
      <span>{a.unitCount(f.number(summary.units))}</span>
      <span>{a.requestCount(f.number(summary.requests), f.number(summary.errors))}</span>
      <span>
        {t.latency} {f.milliseconds(summary.average_latency_ms)}
      </span>
      <span>p95 {f.milliseconds(summary.p95_latency_ms)}</span>
    </p>
  );
}
