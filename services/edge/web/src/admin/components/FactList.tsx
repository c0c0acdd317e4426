import type { ReactNode } from "react";
import styles from "./FactList.module.css";

/** Facts by name, below each other. */
export function FactList({ facts, className = "" }: { facts: readonly [string, ReactNode][]; className?: string }) {
  return (
    <dl className={`${styles.facts} ${className}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
