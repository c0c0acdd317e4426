// The checks of an assessment: what is open, and folded what is established.
import type { CheckStatus, QuickAssessment } from "../../api/types";
import { useText } from "../../shell/language";
import { Badge, type Tone } from "../../shell/states";
import { Section } from "./components";
import { viewTexts } from "./texts";
import styles from "./views.module.css";

type Check = QuickAssessment["checks"][number];

const OPEN: readonly CheckStatus[] = ["fail", "warn", "unknown"];
const TONES: Readonly<Record<CheckStatus, Tone>> = {
  pass: "success",
  warn: "warning",
  fail: "error",
  unknown: "neutral",
};

export function Checks({ checks }: { checks: readonly Check[] }) {
  const t = useText(viewTexts);
  const open = OPEN.flatMap((status) => checks.filter((check) => check.status === status));
  const passed = checks.filter((check) => !OPEN.includes(check.status));
  return (
    <>
      {open.length > 0 && (
        <Section title={t.openChecks(open.length)}>
          <CheckList checks={open} />
        </Section>
      )}
      {passed.length > 0 && (
        <details className={styles.context}>
          <summary>{t.passedChecks(passed.length)}</summary>
          <CheckList checks={passed} />
        </details>
      )}
    </>
  );
}

function CheckList({ checks }: { checks: readonly Check[] }) {
  const t = useText(viewTexts);
  const legal = ({ settled_by: by, legal_refs: refs }: Check) =>
    [...(by.length > 0 ? [t.named(t.settledBy, by.join(t.semicolon))] : []), ...refs].join(" · ");
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
