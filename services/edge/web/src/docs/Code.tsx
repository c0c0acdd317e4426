// Code in a frame that scrolls, with a button to copy it.
import type { ReactNode } from "react";
import { LanguageChoice, sampleCode, useSampleLanguage } from "../samples/languages";
import type { Call, Sample } from "../samples/sample";
import { CopyButton } from "../shell/CopyButton";
import styles from "./docs.module.css";

export function Code({ text, label }: { text: string; label: ReactNode }) {
  return (
    <figure className={styles.code}>
      <figcaption>
        {label}
        <CopyButton text={text} variant="subtle" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}

/** A program that sends these calls, in the language that the user chose. */
export function SampleCode({ calls, reads = "json" }: { calls: readonly Call[]; reads?: Sample["reads"] }) {
  const [language] = useSampleLanguage();
  return <Code text={sampleCode(language, { calls, reads, key: { kind: "variable" } })} label={<LanguageChoice />} />;
}
