import type { ReactNode } from "react";
import styles from "./Badge.module.css";

export type Tone = "good" | "bad" | "late" | "plain" | "info";

/** A status as one word. Its colours have a contrast of 4.5 to 1 in both themes. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}
