// The language of a page: the stored choice, or the browser's language.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { typeset } from "./typography";

export type Language = "fr" | "en";
export const LANGUAGES: readonly Language[] = ["fr", "en"];

const STORED = "landpartner.language";

/** A text of a JSON file in French and in English. A test finds one that lacks a language. */
export type PlainPair = readonly string[];
/** A text, or a function that returns one, in French and in English. */
export type Pair<T = string> = readonly [fr: T, en: T];

/** The texts of one part of the pages, by language. */
export interface Translations<T> {
  fr: T;
  en: T;
}

type Text = string | ((...values: never[]) => string);
type Fill = (...values: readonly (string | number)[]) => string;
interface Pairs {
  readonly [name: string]: Pair<Text> | PlainPair | Pairs;
}
type OneLanguage<P> = {
  [N in Exclude<keyof P, "filled">]: P[N] extends PlainPair
    ? string
    : P[N] extends Pair<infer T>
      ? T
      : OneLanguage<P[N]>;
} & (P extends { filled: infer F } ? { [N in keyof F]: Fill } : unknown);

/**
 * The texts with these pairs. French gets its no-break spaces here. A text of `filled` has names in braces: it becomes a
 * function of their values, in the order of the French text.
 */
export function translations<const P extends Pairs>(pairs: P): Translations<OneLanguage<P>> {
  return {
    fr: select(pairs, ([french]) => typesetText(french)) as OneLanguage<P>,
    en: select(pairs, ([, english]) => english) as OneLanguage<P>,
  };
}

function select({ filled = {}, ...pairs }: Pairs, choose: (pair: readonly Text[]) => Text | undefined): object {
  const entries = [
    ...Object.entries(pairs),
    ...Object.entries(filled).map(([name, pair]) => [name, fills(pair)] as const),
  ];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isPair(value) ? choose(value) : select(value, choose)] as const),
  );
}

const NAME = /\{\w+\}/g;

function fills(pair: PlainPair): Pair<Fill> {
  const names = [...new Set(pair[0]?.match(NAME))];
  const fill =
    (text = ""): Fill =>
    (...values) =>
      text.replace(NAME, (name) => String(values[names.indexOf(name)]));
  return [fill(pair[0]), fill(pair[1])];
}

function typesetText(text: Text = ""): Text {
  return typeof text === "string" ? typeset(text) : (...values) => typeset(text(...values));
}

function isPair(value: readonly Text[] | Pairs): value is readonly Text[] {
  return Array.isArray(value);
}

interface Choice {
  language: Language;
  choose: (language: Language) => void;
}

const LanguageContext = createContext<Choice | null>(null);

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
    current = language;
  }, [language]);
  const choice = useMemo(
    () => ({
      language,
      choose: (chosen: Language) => {
        current = chosen;
        store(chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export function useLanguage(): Choice {
  const choice = useContext(LanguageContext);
  if (choice === null) throw new Error("there is no LanguageProvider above");
  return choice;
}

export function useText<T>(texts: Translations<T>): T {
  return texts[useLanguage().language];
}

let current: Language = firstLanguage();

/** The language of the page, for code outside React, such as requests. */
export function pageLanguage(): Language {
  return current;
}

function firstLanguage(): Language {
  const known = [readStored(), ...navigator.languages].map((each) => each?.slice(0, 2).toLowerCase());
  return known.find((each): each is Language => LANGUAGES.includes(each as Language)) ?? "fr";
}

function readStored(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // storage is disabled
  }
}

function store(language: Language): void {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // storage is disabled: the choice lasts until the page is closed
  }
}
