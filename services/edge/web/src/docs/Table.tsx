import type { ReactNode } from "react";
import styles from "./docs.module.css";

/** A table that scrolls horizontally in its frame. `children` are the rows of its body. */
export function Table({ head, children }: { head: readonly string[]; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className={styles.tableFrame} tabIndex={0}>
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
