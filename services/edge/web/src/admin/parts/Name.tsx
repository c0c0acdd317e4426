import styles from "./Name.module.css";

/** A name that somebody typed: in its own direction, cut after three lines, whole in the hint. */
export function Name({ text }: { text: string }) {
  return (
    <bdi className={styles.name} title={text}>
      {text}
    </bdi>
  );
}

/** A second, quieter line in a cell. */
export function Small({ children, title }: { children: React.ReactNode; title?: string }) {
  return (
    <span className={styles.small} title={title}>
      {children}
    </span>
  );
}

/** What is in a cell, where it may have a second line. */
export function Lines({ children }: { children: React.ReactNode }) {
  return <span className={styles.lines}>{children}</span>;
}
