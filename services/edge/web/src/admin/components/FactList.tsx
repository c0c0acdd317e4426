import type { ReactNode } from "react";
import { FactRows } from "../../shell/states";
import styles from "./FactList.module.css";

/** Facts by name, below each other. */
export function FactList({ facts, className = "" }: { facts: readonly [string, ReactNode][]; className?: string }) {
  return (
    <dl className={`${styles.facts} ${className}`}>
      <FactRows facts={facts} />
    </dl>
  );
}
