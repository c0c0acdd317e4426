// Code in a frame that scrolls, with a button to copy it.
import { SegmentedControl } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { LanguageChoice, sampleCode, useSampleLanguage } from "../samples/languages";
import type { Call, Sample } from "../samples/sample";
import { useApiKey } from "../shell/apiKey";
import { CopyButton } from "../shell/CopyButton";
import { translations, useText } from "../shell/language";
import plain from "./codeTexts.json";
import styles from "./docs.module.css";

const texts = translations(plain);

/** `copied` is the text for the clipboard, if it is not the one that is shown. */
export function Code({ text, copied = text, label }: { text: string; copied?: string; label: ReactNode }) {
  return (
    <figure className={styles.code}>
      <figcaption>
        {label}
        <CopyButton text={copied} variant="subtle" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}

/** A program that sends these calls, in the language that the user chose. The key is a variable, unless the user inserts it. */
export function SampleCode({ calls, reads = "json" }: { calls: readonly Call[]; reads?: Sample["reads"] }) {
  const t = useText(texts);
  const apiKey = useApiKey();
  const [language] = useSampleLanguage();
  const [form, setForm] = useState("variable");
  const isLiteral = form === "literal" && apiKey !== "";
  const written = (key: string) =>
    sampleCode(language, { calls, reads, key: isLiteral ? { kind: "literal", key } : { kind: "variable" } });
  const label = (
    <>
      <LanguageChoice />
      {apiKey !== "" && (
        <SegmentedControl
          size="xs"
          aria-label={t.key}
          value={form}
          onChange={setForm}
          data={[
            { value: "variable", label: t.variable },
            { value: "literal", label: t.literal },
          ]}
        />
      )}
    </>
  );
  return <Code text={written(masked(apiKey))} copied={written(apiKey)} label={label} />;
}

/** A key that is shown. */
function masked(key: string): string {
  return key.length < 20 ? "•".repeat(key.length) : `${key.slice(0, 12)}…${key.slice(-4)}`;
}
