// A text with the list of its headings beside it. It takes the place of the text that the service sent.
import { type ReactNode, useLayoutEffect } from "react";
import { useText } from "../shell/language";
import styles from "./docs.module.css";
import { docsTexts } from "./texts";

export function Article({ headings, children }: { headings: { id: string; text: string }[]; children: ReactNode }) {
  const t = useText(docsTexts);
  useLayoutEffect(() => document.getElementById("static")?.remove(), []);
  return (
    <div className={styles.guide}>
      <nav className={styles.contents} aria-label={t.contents}>
        <ol>
          {headings.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ol>
      </nav>
      <article className={styles.article}>{children}</article>
    </div>
  );
}
