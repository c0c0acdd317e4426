// The frame of every page: brand, navigation, language and appearance.
import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import icon from "./icon.svg";
import { Icon, type IconName } from "./icons";
import { LANGUAGES, useLanguage, useText } from "./language";
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
            <LanguageMenu />
            <ThemeMenu />
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

const CONTROL = { variant: "subtle", color: "gray", size: "lg", className: styles.control ?? "" };

function LanguageMenu() {
  const t = useText(shellTexts);
  const { language, choose } = useLanguage();
  const names = { fr: t.french, en: t.english };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon {...CONTROL} aria-label={`${language.toUpperCase()}, ${t.language}, ${names[language]}`}>
          <span className={styles.language}>{language.toUpperCase()}</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES.map((each) => (
          <Menu.Item
            key={each}
            lang={each}
            onClick={() => choose(each)}
            leftSection={<Choice isChosen={each === language} />}
          >
            {names[each]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function ThemeMenu() {
  const t = useText(shellTexts);
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const choices = [
    ["auto", t.system, "system"],
    ["light", t.light, "sun"],
    ["dark", t.dark, "moon"],
  ] as const satisfies readonly (readonly [string, string, IconName])[];
  const chosen = choices.find(([scheme]) => scheme === colorScheme) ?? choices[0];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon {...CONTROL} aria-label={`${t.theme}, ${chosen[1]}`}>
          <Icon name={chosen[2]} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(([scheme, name]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            leftSection={<Choice isChosen={scheme === colorScheme} />}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Choice({ isChosen }: { isChosen: boolean }) {
  return <span className={styles.choice}>{isChosen && <Icon name="check" size={16} />}</span>;
}
