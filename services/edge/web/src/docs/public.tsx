// The partners' documentation: guide, reference, dictionary, and documents about the data. The path selects one. On the
// first page, the fragment of the address selects a chapter of the guide or an operation of the reference.
import type { ComponentType, ReactNode } from "react";
import { CONSUMER_DESCRIPTION } from "../api/description";
import { useCurrentInSight } from "../shell/currentLink";
import { useAddress } from "../shell/fragment";
import { useLanguage, useText } from "../shell/language";
import { Page } from "../shell/Page";
import { onDemand } from "../shell/states";
import { usePageTitle } from "../shell/title";
import { Codes } from "./Codes";
import { CoveragePage } from "./coverage/CoveragePage";
import { Dictionary } from "./Dictionary";
import { Downloads } from "./Downloads";
import styles from "./docs.module.css";
import { Guide } from "./Guide";
import { type MarkdownDocument, MarkdownPage } from "./MarkdownPage";
import { Reference } from "./reference/Reference";
import { StatusPage } from "./status/StatusPage";
import { docsTexts } from "./texts";

const OPERATIONS = "#/";
const TABS = {
  guide: "/api/docs/public#",
  reference: `/api/docs/public${OPERATIONS}`,
  dictionary: "/api/docs/dictionary",
  codes: "/api/docs/codes",
  status: "/api/docs/status",
  coverage: "/api/docs/coverage",
  landUnits: "/api/docs/land-units",
  addresses: "/api/docs/addresses",
  parcels: "/api/docs/parcels",
  events: "/api/docs/events",
  verdicts: "/api/docs/verdicts",
  agents: "/api/docs/agents",
  gis: "/api/docs/gis",
  changelog: "/api/docs/changelog",
} as const;
type Tab = keyof typeof TABS;

type Loaded = Promise<{ default: MarkdownDocument }>;

/** A document in the language of the page. */
function inLanguage(french: () => Loaded, english: () => Loaded): ComponentType {
  const page = (load: () => Loaded) =>
    onDemand(async () => {
      const { default: content } = await load();
      return { default: () => <MarkdownPage content={content} /> };
    });
  const pages = { fr: page(french), en: page(english) };
  return function InLanguage() {
    const Content = pages[useLanguage().language];
    return <Content />;
  };
}

const LandUnits = inLanguage(
  () => import("../../../../../docs/fr/land-units.md"),
  () => import("../../../../../docs/land-units.md"),
);
const Addresses = inLanguage(
  () => import("../../../../../docs/fr/addresses.md"),
  () => import("../../../../../docs/addresses.md"),
);
const Parcels = inLanguage(
  () => import("../../../../../docs/fr/parcels.md"),
  () => import("../../../../../docs/parcels.md"),
);
const Events = inLanguage(
  () => import("../../../../../docs/fr/events.md"),
  () => import("../../../../../docs/events.md"),
);
const Verdicts = inLanguage(
  () => import("../../../../../docs/fr/verdicts.md"),
  () => import("../../../../../docs/verdicts.md"),
);
const Agents = inLanguage(
  () => import("../../../../../docs/fr/agents.md"),
  () => import("../../../../../docs/agents.md"),
);
const Gis = inLanguage(
  () => import("../../../../../docs/fr/gis.md"),
  () => import("../../../../../docs/gis.md"),
);
const Changes = inLanguage(
  () => import("../../../../../docs/fr/changes.md"),
  () => import("../../../../../docs/changes.md"),
);

export default function PublicDocs() {
  const t = useText(docsTexts);
  const tab = useAddress(currentTab);
  const tabs = useCurrentInSight(tab);
  usePageTitle(...(tab === "guide" ? [] : [t[tab]]), t.title);
  const content: Record<Tab, ReactNode> = {
    guide: <Guide />,
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
    coverage: <CoveragePage />,
    landUnits: <LandUnits />,
    addresses: <Addresses />,
    parcels: <Parcels />,
    events: <Events />,
    verdicts: <Verdicts />,
    agents: <Agents />,
    gis: <Gis />,
    changelog: <Changes />,
  };
  return (
    <Page
      current="reference"
      navigation={
        <nav ref={tabs} className={styles.views} aria-label={t.views}>
          {(Object.keys(TABS) as Tab[]).map((each) => (
            <a key={each} href={TABS[each]} aria-current={each === tab ? "true" : undefined}>
              {t[each]}
            </a>
          ))}
        </nav>
      }
    >
      {content[tab]}
    </Page>
  );
}

function currentTab(): Tab {
  const other = (Object.keys(TABS) as Tab[]).find((tab) => TABS[tab] === location.pathname);
  return other ?? (location.hash.startsWith(OPERATIONS) ? "reference" : "guide");
}
