// The small elements of the admin page: sections, toolbars, names and errors.
import type { ReactNode } from "react";
import { ApiError } from "../../api/client";
import type { Violation } from "../../api/types";
import { useText } from "../../shell/language";
import { ErrorNotice } from "../../shell/states";
import { adminTexts } from "../texts";
import styles from "./elements.module.css";

/** A section of the page: title, actions, content. */
export function Section({
  title,
  intro,
  actions,
  children,
}: {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={styles.section}>
      <div className={styles.head}>
        <div>
          <h1 dir="auto">{title}</h1>
          {intro && <p className={styles.intro}>{intro}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** For the field of a toolbar that fills the remaining width. */
export const FILLS_WIDTH = styles.fillsWidth ?? "";

/** Filters above a table. */
export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles.toolbar}>{children}</div>;
}

/** A part of a section with a heading. */
export function Panel({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.panel}>
      <div className={styles.panelHead}>
        <h2>{title}</h2>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A name from user input: its own text direction, cut after three lines, complete in the title. */
export function Name({ text }: { text: string }) {
  return (
    <bdi className={styles.name} title={text}>
      {text}
    </bdi>
  );
}

/** A second, quieter line in a cell. */
export function Small({ children, title }: { children: ReactNode; title?: string }) {
  return (
    <span className={styles.small} title={title}>
      {children}
    </span>
  );
}

/** The content of a cell with an optional second line. */
export function Lines({ children }: { children: ReactNode }) {
  return <span className={styles.lines}>{children}</span>;
}

/** An error, with the page's own text for the code if there is one. `violations` have no matching field. */
export function RequestError({
  error,
  violations = [],
  conflict,
  onRetry,
}: {
  error: unknown;
  /** The meaning of a conflict here. */
  conflict?: string | undefined;
  violations?: readonly Violation[];
  onRetry?: () => void;
}) {
  const t = useText(adminTexts);
  const code = error instanceof ApiError ? error.code : null;
  const detail = violations.length
    ? violations.map((each) => `${each.pointer} – ${each.detail}`).join(" · ")
    : code === "conflict" && conflict !== undefined
      ? conflict
      : error instanceof ApiError && code === "sign_in_throttled" && error.retryAfterS !== null
        ? t.throttled(error.retryAfterS)
        : t.problems[code ?? ""];
  return <ErrorNotice error={error} detail={detail} onRetry={onRetry} />;
}
