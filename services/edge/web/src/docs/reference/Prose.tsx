// A text of the API description: paragraphs, with code between backticks. And the method of an operation.
import styles from "./reference.module.css";

export function Prose({ text }: { text: string }) {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => (
      <p key={paragraph}>
        <Inline text={paragraph} />
      </p>
    ));
}

export function Inline({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}

export function Method({ name }: { name: string }) {
  return (
    <span className={styles.method} data-method={name}>
      {name}
    </span>
  );
}
