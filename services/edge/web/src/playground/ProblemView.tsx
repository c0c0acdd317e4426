// A problem: its text, and each violation with its position in the request.

import type { Problem } from "../api/types";
import { useText } from "../shell/language";
import styles from "./playground.module.css";
import { texts } from "./texts";
import { DataTable } from "./views/parts";

export function ProblemView({ problem, retryAfter }: { problem: Problem; retryAfter: string | undefined }) {
  const t = useText(texts);
  return (
    <section className={styles.problem} aria-label={t.problem} role="alert">
      <p className={styles.problemTitle}>
        {problem.title} <code>{problem.code}</code>
      </p>
      {problem.detail !== problem.title && <p>{problem.detail}</p>}
      {retryAfter !== undefined && <p>{t.retryAfter(retryAfter)}</p>}
      {problem.errors && problem.errors.length > 0 && (
        <DataTable
          label={t.problem}
          rows={problem.errors}
          rowKey={(row, index) => `${row.pointer} ${index}`}
          columns={[
            { title: t.pointer, cell: (row) => (row.pointer === "" ? t.wholeBody : <code>{row.pointer}</code>) },
            { title: t.fault, cell: (row) => row.detail },
            { title: t.faultCode, cell: (row) => <code>{row.code}</code> },
          ]}
        />
      )}
      {problem.successors?.length ? <p>{t.named(t.successors, problem.successors.join(", "))}</p> : null}
    </section>
  );
}
