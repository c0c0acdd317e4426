// The checks of an assessment: what is open, and folded what is established or what the answer says already.
import type { CheckStatus, QuickAssessment } from "../../api/types";
import { useText } from "../../shell/language";
import { Badge, type Tone } from "../../shell/states";
import { Section } from "./components";
import { viewTexts } from "./texts";
import { articlesOf } from "./verdicts";
import styles from "./views.module.css";

type Check = QuickAssessment["checks"][number];

const OPEN: readonly CheckStatus[] = ["fail", "warn", "unknown"];
const TONES: Readonly<Record<CheckStatus, Tone>> = {
  pass: "success",
  warn: "warning",
  fail: "error",
  unknown: "neutral",
};

export function Checks({ checks, answer }: { checks: readonly Check[]; answer: string }) {
  const t = useText(viewTexts);
  const isFolded = ({ status, detail }: Check) => !OPEN.includes(status) || answer.includes(detail.replace(/\.$/, ""));
  const open = OPEN.flatMap((status) => checks.filter((check) => check.status === status && !isFolded(check)));
  const folded = checks.filter(isFolded);
  return (
    <>
      {open.length > 0 && (
        <Section title={t.openChecks(open.length)}>
          <CheckList checks={open} />
        </Section>
      )}
      {folded.length > 0 && (
        <details className={styles.context}>
          <summary>{t.foldedChecks(folded.length)}</summary>
          <CheckList checks={folded} />
        </details>
      )}
    </>
  );
}

function CheckList({ checks }: { checks: readonly Check[] }) {
  const t = useText(viewTexts);
  const legal = ({ settled_by: by, legal_refs: refs }: Check) =>
    [...(by.length > 0 ? [t.named(t.settledBy, by.join(t.semicolon))] : []), ...articlesOf(refs)].join(" · ");
  return (
    <ul className={styles.checks}>
      {checks.map((check) => (
        <li key={check.code}>
          <span>
            <Badge tone={TONES[check.status] ?? "neutral"}>{t.statuses[check.status] ?? check.status}</Badge>
          </span>
          <span className={styles.checkDetail}>
            {check.detail}
            <span className={styles.legal}>{legal(check)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
