// A document of docs/, which markdown.js rendered when the pages were built.
import { useLanguage, useText } from "../shell/language";
import { typeset } from "../shell/typography";
import styles from "./docs.module.css";
import { useTarget } from "./target";
import { docsTexts } from "./texts";

export interface MarkdownDocument {
  title: string;
  headings: { id: string; text: string }[];
  html: string;
}

export function MarkdownPage({ content }: { content: MarkdownDocument }) {
  const t = useText(docsTexts);
  const { language } = useLanguage();
  const html = language === "fr" ? typeset(content.html) : content.html;
  useTarget();
  return (
    <div className={styles.guide}>
      <nav className={styles.contents} aria-label={t.contents}>
        <ol>
          {content.headings.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ol>
      </nav>
      <article className={styles.article}>
        <h1>{content.title}</h1>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: HTML from the build, without input of users */}
        <div className={styles.prose} dangerouslySetInnerHTML={{ __html: html }} />
      </article>
    </div>
  );
}
