// A document of docs/, which markdown.js rendered when the pages were built.
import { useLanguage } from "../shell/language";
import { typeset } from "../shell/typography";
import { Article } from "./Article";
import { useTarget } from "./target";

export interface MarkdownDocument {
  title: string;
  headings: { id: string; text: string }[];
  html: string;
}

export function MarkdownPage({ content }: { content: MarkdownDocument }) {
  const { language } = useLanguage();
  const html = language === "fr" ? typeset(content.html) : content.html;
  useTarget();
  return (
    <Article headings={content.headings}>
      <h1>{content.title}</h1>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: HTML from the build, without input of users */}
      <div data-prose dangerouslySetInnerHTML={{ __html: withOrigin(html) }} />
    </Article>
  );
}

/** The text with the address of this service. */
export function withOrigin(text: string): string {
  return text.replaceAll("https://HOST", location.origin);
}
