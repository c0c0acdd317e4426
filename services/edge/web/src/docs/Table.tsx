import type { ReactNode } from "react";
import styles from "./docs.module.css";

/** A table that scrolls horizontally in its frame. `children` are the rows of its body. */
export function Table({
  head,
  isStacked = false,
  children,
}: {
  head: readonly string[];
  /** Whether the cells of a row stand below each other on a phone. */
  isStacked?: boolean;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className={styles.tableFrame} data-stacked={isStacked || undefined} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
