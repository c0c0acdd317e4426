// The partners' documentation: guide, reference, dictionary, and documents about the data. The path selects one. On the
// first page, the fragment of the address selects a chapter of the guide or an operation of the reference.
import type { ReactNode } from "react";
import { CONSUMER_DESCRIPTION } from "../api/description";
import { useCurrentInSight } from "../shell/currentLink";
import { useAddress } from "../shell/fragment";
import { useText } from "../shell/language";
import { Page } from "../shell/Page";
import { onDemand } from "../shell/states";
import { usePageTitle } from "../shell/title";
import { Codes } from "./Codes";
import { CoveragePage } from "./coverage/CoveragePage";
import { Dictionary } from "./Dictionary";
import { Downloads } from "./Downloads";
import styles from "./docs.module.css";
import { Guide } from "./Guide";
import { MarkdownPage } from "./MarkdownPage";
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
  agents: "/api/docs/agents",
  gis: "/api/docs/gis",
  changelog: "/api/docs/changelog",
} as const;
type Tab = keyof typeof TABS;

const LandUnits = onDemand(async () => {
  const { default: content } = await import("../../../../../docs/land-units.md");
  return { default: () => <MarkdownPage content={content} /> };
});
const Addresses = onDemand(async () => {
  const { default: content } = await import("../../../../../docs/addresses.md");
  return { default: () => <MarkdownPage content={content} /> };
});
const Parcels = onDemand(async () => {
  const { default: content } = await import("../../../../../docs/parcels.md");
  return { default: () => <MarkdownPage content={content} /> };
});
const Agents = onDemand(async () => {
  const { default: content } = await import("../../../../../docs/agents.md");
  return { default: () => <MarkdownPage content={content} /> };
});
const Gis = onDemand(async () => {
  const { default: content } = await import("../../../../../docs/gis.md");
  return { default: () => <MarkdownPage content={content} /> };
});
const Changelog = onDemand(async () => {
  const { default: content } = await import("../../../../../CHANGELOG.md");
  return { default: () => <MarkdownPage content={content} /> };
});

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
    agents: <Agents />,
    gis: <Gis />,
    changelog: <Changelog />,
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
