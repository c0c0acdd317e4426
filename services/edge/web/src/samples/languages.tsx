// The languages of the samples, and the user's choice, which all samples of all pages follow.
import { SegmentedControl } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { translations, useText } from "../shell/language";
import { curl } from "./curl";
import { javascript } from "./javascript";
import { php } from "./php";
import { python } from "./python";
import type { Sample } from "./sample";

const LANGUAGES = {
  curl: { name: "curl", write: curl },
  python: { name: "Python", write: python },
  javascript: { name: "JavaScript", write: javascript },
  php: { name: "PHP", write: php },
} as const;
export type SampleLanguage = keyof typeof LANGUAGES;

const texts = translations({ language: ["Langage", "Language"] });

/** The sample as code. */
export function sampleCode(language: SampleLanguage, sample: Sample): string {
  return LANGUAGES[language].write(sample);
}

/** The stored choice, for every sample of the page. */
export function useSampleLanguage(): [SampleLanguage, (language: SampleLanguage) => void] {
  const [language, choose] = useLocalStorage<SampleLanguage>({
    key: "landpartner.sampleLanguage",
    defaultValue: "curl",
    getInitialValueInEffect: false,
    serialize: (value) => value,
    deserialize: (value) => (isLanguage(value) ? value : "curl"),
  });
  return [language, choose];
}

export function LanguageChoice() {
  const t = useText(texts);
  const [language, choose] = useSampleLanguage();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t.language}
      value={language}
      onChange={(value) => choose(value as SampleLanguage)}
      data={Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name }))}
    />
  );
}

function isLanguage(text: string | undefined): text is SampleLanguage {
  return text !== undefined && Object.hasOwn(LANGUAGES, text);
}
