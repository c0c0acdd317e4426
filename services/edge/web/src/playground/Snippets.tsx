// The request as code to copy. The key is a variable, unless the user inserts it.
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "../shell/CopyButton";
import { useText } from "../shell/language";
import type { SentRequest } from "./exchange";
import styles from "./playground.module.css";
import { masked, SNIPPET_LANGUAGES, type SnippetLanguage, snippet } from "./snippetCode";
import { texts } from "./texts";

const NAMES: Readonly<Record<SnippetLanguage, string>> = { curl: "curl", python: "Python", javascript: "JavaScript" };

export function Snippets({ request, apiKey }: { request: SentRequest; apiKey: string }) {
  const t = useText(texts);
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  const [form, setForm] = useState<"variable" | "literal">("variable");
  const isLiteral = form === "literal" && apiKey !== "";
  const written = (key: string) =>
    snippet(language, request, location.origin, isLiteral ? { kind: "literal", key } : { kind: "variable" });
  return (
    <section className={styles.panel} aria-label={t.snippets}>
      <h2>{t.snippets}</h2>
      <div className={styles.toolbar}>
        <SegmentedControl
          size="xs"
          aria-label={t.snippetLanguage}
          value={language}
          onChange={(value) => setLanguage(value as SnippetLanguage)}
          data={SNIPPET_LANGUAGES.map((value) => ({ value, label: NAMES[value] }))}
        />
        <SegmentedControl
          size="xs"
          aria-label={t.snippetKey}
          value={isLiteral ? "literal" : "variable"}
          onChange={(value) => setForm(value as "variable" | "literal")}
          data={[
            { value: "variable", label: t.keyVariable },
            { value: "literal", label: t.keyLiteral, disabled: apiKey === "" },
          ]}
        />
        <CopyButton text={written(apiKey)} label={t.copyCode} />
      </div>
      {isLiteral && <p className={styles.hint}>{t.keyLiteralHint}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.text} tabIndex={0} data-testid="snippet">
        {written(masked(apiKey))}
      </pre>
    </section>
  );
}
