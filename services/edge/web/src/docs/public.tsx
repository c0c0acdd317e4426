// The partners' documentation: guide, reference, dictionary, and documents about the data. The path selects one. On the
// first page, the fragment of the address selects a chapter of the guide or an operation of the reference.
import "../shell/fields.css";
import { type ComponentType, type ReactNode, useLayoutEffect } from "react";
import { CONSUMER_DESCRIPTION } from "../api/description";
import { useCurrentInSight } from "../shell/currentLink";
import { useAddress } from "../shell/fragment";
import { type Language, useLanguage, useText } from "../shell/language";
import { Page } from "../shell/Page";
import { onDemand } from "../shell/states";
import { usePageTitle } from "../shell/title";
import type { GuideDocument } from "./chapters";
import { Downloads } from "./Downloads";
import styles from "./docs.module.css";
import { Guide } from "./Guide";
import { type MarkdownDocument, MarkdownPage } from "./MarkdownPage";
import { docsTexts } from "./texts";

/** What the first page does not need at once. */
const Codes = onDemand(() => import("./Codes"));
const Dictionary = onDemand(() => import("./Dictionary"));
const Reference = onDemand(() => import("./reference/Reference"));
const StatusPage = onDemand(() => import("./status/StatusPage"));

const OPERATIONS = "#/";
const TABS = {
  guide: "/api/docs/public#",
  reference: `/api/docs/public${OPERATIONS}`,
  dictionary: "/api/docs/dictionary",
  codes: "/api/docs/codes",
  status: "/api/docs/status",
  landUnits: "/api/docs/land-units",
  addresses: "/api/docs/addresses",
  parcels: "/api/docs/parcels",
  events: "/api/docs/events",
  verdicts: "/api/docs/verdicts",
  agents: "/api/docs/agents",
  gis: "/api/docs/gis",
  changes: "/api/docs/changes",
} as const;
type Tab = keyof typeof TABS;

/** The first page of a group is the one that its name opens. */
const GROUPS = {
  start: ["guide"],
  guides: ["landUnits", "addresses", "parcels", "events", "verdicts", "agents", "gis"],
  lookup: ["reference", "dictionary", "codes"],
  changes: ["changes"],
  state: ["status"],
} as const satisfies Record<string, readonly [Tab, ...Tab[]]>;

/** The file of each document in docs/ and, in French, in docs/fr/. */
const DOCUMENTS = {
  landUnits: "land-units",
  addresses: "addresses",
  parcels: "parcels",
  events: "events",
  verdicts: "verdicts",
  agents: "agents",
  gis: "gis",
  changes: "changes",
} satisfies Partial<Record<Tab, string>>;

const files = import.meta.glob<{ default: MarkdownDocument }>(
  "../../../../../docs/{fr/,}{land-units,addresses,parcels,events,verdicts,agents,gis,changes}.md",
);

const guides = import.meta.glob<{ default: GuideDocument }>("../../../../../docs/guide/{fr,en}.md");

function guide(language: Language): ComponentType {
  return onDemand(async () => {
    const content = await guides[`../../../../../docs/guide/${language}.md`]?.();
    if (content === undefined) throw new Error(language);
    return { default: () => <Guide content={content.default} /> };
  });
}

function page(name: string): ComponentType {
  return onDemand(async () => {
    const load = files[`../../../../../docs/${name}.md`];
    if (load === undefined) throw new Error(name);
    const { default: content } = await load();
    return { default: () => <MarkdownPage content={content} /> };
  });
}

const PAGES = Object.fromEntries(
  Object.entries(DOCUMENTS).map(([tab, name]) => [tab, { fr: page(`fr/${name}`), en: page(name) }]),
) as Partial<Record<Tab, Record<Language, ComponentType>>>;
PAGES.guide = { fr: guide("fr"), en: guide("en") };

export default function PublicDocs() {
  const t = useText(docsTexts);
  const tab = useAddress(currentTab);
  const tabs = useCurrentInSight(tab);
  // The service cannot see the fragment: it sent the text of the guide.
  useLayoutEffect(() => {
    if (tab === "reference") document.getElementById("static")?.remove();
  }, [tab]);
  const groups = Object.entries(GROUPS) as [keyof typeof GROUPS, readonly [Tab, ...Tab[]]][];
  const [group, pages] = groups.find(([, each]) => each.includes(tab)) ?? ["start", ["guide"]];
  const groupTabs = useCurrentInSight(group);
  usePageTitle(...(tab === "guide" ? [] : [t[tab]]), t.title);
  const Document = PAGES[tab]?.[useLanguage().language];
  const content: Partial<Record<Tab, ReactNode>> = {
    reference: (
      <>
        <header className={styles.title}>
          <h1>{t.reference}</h1>
          <p>{t.referenceIntro}</p>
          <Downloads />
        </header>
        <Reference description={CONSUMER_DESCRIPTION} />
      </>
    ),
    dictionary: <Dictionary />,
    codes: <Codes />,
    status: <StatusPage />,
  };
  return (
    <Page
      current="reference"
      navigation={
        <nav aria-label={t.views}>
          <section ref={groupTabs} className={styles.views}>
            {groups.map(([name, [first]]) => (
              <a key={name} href={TABS[first]} aria-current={name === group ? "true" : undefined}>
                {t.groups[name]}
              </a>
            ))}
          </section>
          {pages.length > 1 && (
            <section ref={tabs} className={styles.views} aria-label={t.groups[group]}>
              {pages.map((each) => (
                <a key={each} href={TABS[each]} aria-current={each === tab ? "page" : undefined}>
                  {t[each]}
                </a>
              ))}
            </section>
          )}
        </nav>
      }
    >
      {Document ? <Document /> : content[tab]}
    </Page>
  );
}

function currentTab(): Tab {
  const other = (Object.keys(TABS) as Tab[]).find((tab) => TABS[tab] === location.pathname);
  return other ?? (location.hash.startsWith(OPERATIONS) ? "reference" : "guide");
}
