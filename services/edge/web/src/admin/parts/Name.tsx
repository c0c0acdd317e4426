import styles from "./Name.module.css";

/** A name from user input: its own text direction, cut after three lines, complete in the title. */
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

/** The content of a cell with an optional second line. */
export function Lines({ children }: { children: React.ReactNode }) {
  return <span className={styles.lines}>{children}</span>;
}
