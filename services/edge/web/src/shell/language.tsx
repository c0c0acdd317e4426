// The language of a page: the stored choice, or the browser's language.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";

export type Language = "fr" | "en";
export const LANGUAGES: readonly Language[] = ["fr", "en"];

const STORED = "landpartner.language";

/** The texts of one part of the pages. A missing translation does not compile. */
export interface Dictionary<T> {
  fr: T;
  en: T;
}

export function dictionary<T extends object>(fr: T, en: NoInfer<T>): Dictionary<T> {
  return { fr, en };
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

export function useText<T>(texts: Dictionary<T>): T {
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
