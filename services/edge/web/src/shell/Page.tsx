// The frame of every page: brand, navigation, language and appearance.
import { useMantineColorScheme } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import icon from "./icon.svg";
import { Icon, type IconName } from "./icons";
import { useLanguage, useText } from "./language";
import styles from "./Page.module.css";
import { shellTexts } from "./texts";

export type PageName = "admin" | "terrain" | "playground" | "reference";

const ADDRESSES: Record<PageName, string> = {
  terrain: "/terrain",
  playground: "/playground",
  reference: "/api/docs/public",
  admin: "/admin",
};

export interface PageProps {
  current: PageName | null;
  /** Content next to language and appearance, such as the account menu. */
  controls?: ReactNode;
  /** Content under the header, such as the sections of the page. */
  navigation?: ReactNode;
  /** Whether the content may use the full width of the window. */
  isWide?: boolean;
  children: ReactNode;
}

/** Administration is in its own menu only: partners have no use for it. The home page leads there. */
export function Page({ current, controls, navigation, isWide = false, children }: PageProps) {
  const t = useText(shellTexts);
  const header = useHeaderHeight();
  return (
    <div className={styles.frame}>
      <button type="button" className={styles.skip} onClick={focusContent}>
        {t.skip}
      </button>
      <header ref={header} className={styles.header}>
        <div className={styles.bar}>
          <a className={styles.brand} href="/">
            <img src={icon} alt="" width="26" height="26" />
            <span className={styles.product}>{t.product}</span>
          </a>
          <nav className={styles.pages} aria-label={t.pages}>
            {(Object.keys(ADDRESSES) as PageName[])
              .filter((name) => name !== "admin" || current === name)
              .map((name) => (
                <a key={name} href={ADDRESSES[name]} aria-current={name === current ? "page" : undefined}>
                  {t[name]}
                </a>
              ))}
          </nav>
          <div className={styles.controls}>
            <LanguageButton />
            <ThemeButton />
            {controls}
          </div>
        </div>
        {navigation}
      </header>
      <Offline />
      <main id="content" className={styles.content} data-wide={isWide || undefined} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** Writes the height of the header, which covers the top of the window, to --lp-header. */
function useHeaderHeight() {
  const header = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = header.current;
    if (element === null) return;
    const write = () => document.documentElement.style.setProperty("--lp-header", `${element.offsetHeight}px`);
    const observer = new ResizeObserver(write);
    observer.observe(element);
    write();
    return () => observer.disconnect();
  }, []);
  return header;
}

/** The status exists before it has a text, so that screen readers announce the text. */
function Offline() {
  const t = useText(shellTexts);
  const { online } = useNetwork();
  return (
    <p className={styles.offline} role="status">
      {online ? "" : t.offline}
    </p>
  );
}

/** Uses a script instead of a link, since the fragment of the address selects the section. */
function focusContent(): void {
  document.getElementById("content")?.focus();
}

/** A click chooses the other language. */
function LanguageButton() {
  const t = useText(shellTexts);
  const { language, choose } = useLanguage();
  const other = language === "fr" ? "en" : "fr";
  const name = { fr: t.french, en: t.english }[other];
  return (
    <button type="button" className={styles.control} lang={other} title={name} data-look onClick={() => choose(other)}>
      <span aria-hidden="true">{other.toUpperCase()}</span>
      <span className="lp-visually-hidden">{name}</span>
    </button>
  );
}

const SCHEMES = { auto: "system", light: "sun", dark: "moon" } as const satisfies Record<string, IconName>;

/** A click chooses the next appearance. */
function ThemeButton() {
  const t = useText(shellTexts);
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const schemes = Object.keys(SCHEMES) as (keyof typeof SCHEMES)[];
  const next = schemes[(schemes.indexOf(colorScheme) + 1) % schemes.length] ?? "auto";
  const name = `${t.theme}, ${t[SCHEMES[colorScheme]]}`;
  return (
    <button type="button" className={styles.control} title={name} data-look onClick={() => setColorScheme(next)}>
      <Icon name={SCHEMES[colorScheme]} />
      <span className="lp-visually-hidden">{name}</span>
    </button>
  );
}
