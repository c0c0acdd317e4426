// A document of docs/, which markdown.js rendered when the pages were built. The documents are in English.
import { useLanguage, useText } from "../shell/language";
import { Notice } from "../shell/states";
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
  useTarget();
  return (
    <div className={styles.guide}>
      <nav className={styles.contents} aria-label={t.contents} lang="en">
        <ol>
          {content.headings.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ol>
      </nav>
      <article className={styles.article}>
        {language !== "en" && (
          <Notice>
            {t.onlyInEnglish} <a href="/api/docs/dictionary">{t.inDictionary}</a>.
          </Notice>
        )}
        <div lang="en">
          <h1>{content.title}</h1>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: HTML from the build, without input of users */}
          <div className={styles.prose} dangerouslySetInnerHTML={{ __html: content.html }} />
        </div>
      </article>
    </div>
  );
}
