// The dossier of a land unit: a sheet of A4 made from answers in memory, to print or to save as PDF.
import { Button, SegmentedControl } from "@mantine/core";
import { useEffect, useState } from "react";
import { unitsOf, useDescription } from "../../api/description";
import { BLOCKS, type BlockName, type Division, type LandUnit, type LandUnitProperties } from "../../api/types";
import { Icon } from "../../shell/icons";
import { useLanguage, useText } from "../../shell/language";
import { Empty, Notice } from "../../shell/states";
import { type Exchange, isPending } from "../exchange";
import { TASKS } from "../requests";
import type { Exchanges } from "../session";
import { texts } from "../texts";
import { proposalOf } from "../views/DivisionView";
import { viewTexts } from "../views/texts";
import styles from "./Dossier.module.css";
import { useWords } from "./parts";
import { headingOf, Sheet } from "./Sheet";
import { dossierTexts } from "./texts";

export type Subject = "geojson" | "divide";

export default function Dossier({
  subject,
  exchanges,
  apiKey,
  rank,
  onChoose,
  onRequest,
}: {
  /** The answer that the dossier was opened from. */
  subject: Subject;
  exchanges: Exchanges;
  apiKey: string;
  /** The proposal chosen on the page; the first one if it is null. */
  rank: number | null;
  onChoose: (rank: number) => void;
  onRequest: (endpoint: Subject, body: object) => void;
}) {
  const t = useText(dossierTexts);
  const view = useText(viewTexts);
  const { language } = useLanguage();
  const [kept, keep] = useState<LandUnit>();
  const land = landOf(exchanges.geojson);
  const division = divisionOf(exchanges.divide);
  const answer = subject === "geojson" ? land : division?.context;
  // The next request has no answer yet, or has failed: the sheet keeps the last one.
  const asked = answer ?? kept;
  useEffect(() => {
    if (answer !== undefined) keep(answer);
  }, [answer]);
  const wanted = parcelsOf(asked);
  const studied = isSame(parcelsOf(division?.context), wanted) ? division : undefined;
  // The answer with the most blocks; with as many, the one that the dossier was opened from.
  const [unit] = [asked, studied?.context, isSame(parcelsOf(land), wanted) ? land : undefined]
    .filter((each) => each !== undefined)
    .sort((left, right) => missingBlocks(left).length - missingBlocks(right).length);
  const properties = unit?.features[0]?.properties;
  if (unit === undefined || properties === undefined) {
    return (
      <Empty title={t.gone}>
        {t.goneDetail} <a href={`#${subject}`}>{t.back}</a>
      </Empty>
    );
  }
  const assessment = studied?.quick_assessment ?? null;
  const proposals = assessment?.proposals ?? [];
  const proposal = studied ? proposalOf(studied, rank) : null;
  const used = [exchanges.geojson, exchanges.divide].filter(
    (each) => each !== undefined && [unit, studied].includes(each.json as never),
  );
  return (
    <>
      <PageHead properties={properties} />
      <div className={styles.toolbar}>
        <Button component="a" href={`#${subject}`} variant="default" leftSection={<Icon name="left" size={16} />}>
          {t.back}
        </Button>
        {proposals.length > 1 && (
          <SegmentedControl
            aria-label={view.proposals}
            value={String(proposal?.rank)}
            onChange={(value) => onChoose(Number(value))}
            data={proposals.map((each) => ({ value: String(each.rank), label: view.proposal(each.rank) }))}
          />
        )}
        <Button onClick={() => print()}>{t.print}</Button>
      </div>
      <Missing
        unit={unit}
        hasAssessment={assessment !== null}
        exchanges={exchanges}
        onRequest={(endpoint) =>
          onRequest(endpoint, { parcel_ids: properties.parcel_ids, ...(endpoint === "geojson" && { include: BLOCKS }) })
        }
      />
      {used.some((each) => each?.request.language !== language) && (
        <div className={styles.missing}>
          <Notice>{t.otherLanguage}</Notice>
        </div>
      )}
      <Sheet unit={unit} properties={properties} assessment={assessment} proposal={proposal} apiKey={apiKey} />
    </>
  );
}

/** What the answers do not have, with its cost. */
function Missing({
  unit,
  hasAssessment,
  exchanges,
  onRequest,
}: {
  unit: LandUnit;
  hasAssessment: boolean;
  exchanges: Exchanges;
  onRequest: (endpoint: Subject) => void;
}) {
  const t = useText(dossierTexts);
  const page = useText(texts);
  const view = useText(viewTexts);
  const names: Partial<Record<BlockName, string>> = {
    land: view.land,
    urbanism: view.urbanism,
    buildings: view.buildings,
    real_estate: view.realEstate,
    risks: view.risks,
  };
  const { data: description } = useDescription();
  const priceOf = (endpoint: Subject) =>
    page.units(unitsOf(description).find(([path]) => path === TASKS[endpoint])?.[1] ?? 0);
  const blocks = missingBlocks(unit).map((block) => names[block] ?? block);
  const parts: [endpoint: Subject, text: string, action: string][] = [];
  if (blocks.length > 0) parts.push(["geojson", t.noFacts(blocks.join(", ")), t.requestFacts(priceOf("geojson"))]);
  if (!hasAssessment) parts.push(["divide", t.noAssessment, t.requestAssessment(priceOf("divide"))]);
  return parts.map(([endpoint, text, action]) => {
    const phase = exchanges[endpoint]?.phase;
    const isWaiting = isPending(exchanges[endpoint]);
    const problem = exchanges[endpoint]?.problem;
    return (
      <div key={endpoint} className={styles.missing}>
        <Notice>
          <p>{text}</p>
          {problem && <p role="alert">{problem.detail}</p>}
          {phase === "unreachable" && <p role="alert">{t.requestFailed}</p>}
          <Button size="xs" variant="default" disabled={isWaiting} onClick={() => onRequest(endpoint)}>
            {isWaiting ? t.requesting : action}
          </Button>
        </Notice>
      </div>
    );
  });
}

/** Writes the margins of the paper: the land at the top from the second page, and the number of each page. */
function PageHead({ properties }: { properties: LandUnitProperties }) {
  const words = useWords();
  const { title, place } = headingOf(properties, words);
  const { sheet, page } = words.t;
  useEffect(() => {
    const rules = new CSSStyleSheet();
    rules.replaceSync(
      `@page dossier {
        @top-left { content: ${quoted(`${sheet} · ${title} · ${place}`)} }
        @bottom-right { content: ${quoted(`${page} `)} counter(page) " / " counter(pages) }
      }
      @page dossier:first { @top-left { content: none } }`,
    );
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, rules];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== rules);
    };
  }, [title, place, sheet, page]);
  return null;
}

/** As a string of CSS. */
function quoted(text: string): string {
  return `"${text.replace(/["\\\n\r\f]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `)}"`;
}

function landOf(exchange: Exchange | undefined): LandUnit | undefined {
  return exchange?.status === 200 && exchange.problem === null ? (exchange.json as LandUnit | undefined) : undefined;
}

/** The whole answer; of a stream, after its end. */
function divisionOf(exchange: Exchange | undefined): Division | undefined {
  if (exchange?.status !== 200 || exchange.phase !== "done" || exchange.problem !== null) return undefined;
  return exchange.json as Division | undefined;
}

function parcelsOf(unit: LandUnit | undefined): readonly string[] {
  return unit?.features[0]?.properties.parcel_ids ?? [];
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length > 0 && left.toSorted().join() === right.toSorted().join();
}

function missingBlocks(unit: LandUnit): BlockName[] {
  const properties = unit.features[0]?.properties;
  return BLOCKS.filter((block) => properties?.[block] === undefined);
}
