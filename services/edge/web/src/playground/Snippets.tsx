// The request as code to copy. The key is a variable, unless the user inserts it.
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { LanguageChoice, sampleCode, useSampleLanguage } from "../samples/languages";
import { CopyButton } from "../shell/CopyButton";
import { useText } from "../shell/language";
import { EVENT_STREAM, headersOf, type SentRequest } from "./exchange";
import styles from "./playground.module.css";
import { texts } from "./texts";

export function Snippets({ request, apiKey }: { request: SentRequest; apiKey: string }) {
  const t = useText(texts);
  const [language] = useSampleLanguage();
  const [form, setForm] = useState<"variable" | "literal">("variable");
  const isLiteral = form === "literal" && apiKey !== "";
  const written = (key: string) =>
    sampleCode(language, {
      calls: [
        {
          method: request.method,
          url: location.origin + request.path,
          headers: headersOf(request),
          body: request.body,
        },
      ],
      reads: request.headers.accept === EVENT_STREAM ? "events" : "json",
      key: isLiteral ? { kind: "literal", key } : { kind: "variable" },
    });
  return (
    <section className={styles.panel} aria-label={t.snippets}>
      <h2>{t.snippets}</h2>
      <div className={styles.toolbar}>
        <LanguageChoice />
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

/** A masked key for display. */
function masked(key: string): string {
  return key.length < 20 ? "•".repeat(key.length) : `${key.slice(0, 12)}…${key.slice(-4)}`;
}
