import type { ReactNode } from "react";
import { PlainTable } from "../shell/PlainTable";
import styles from "./docs.module.css";

/** A table that scrolls horizontally in its frame. */
export function Table({
  isStacked = false,
  ...table
}: {
  head: readonly string[];
  /** Whether the cells of a row stand below each other on a phone. */
  isStacked?: boolean;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className={styles.tableFrame} data-stacked={isStacked || undefined} tabIndex={0}>
      <PlainTable {...table} />
    </div>
  );
}
