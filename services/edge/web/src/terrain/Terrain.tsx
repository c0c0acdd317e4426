// The page for people: a place and a question, the map, then the answer or, before there is one, what is known.
import "../shell/fields.css";
import { Button, Textarea } from "@mantine/core";
import type { Position } from "geojson";
import { type FormEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import { ApiError } from "../api/client";
import { useHomeSample } from "../api/homeSample";
import {
  BLOCKS,
  type Division,
  type LandUnit,
  type ParcelsAnswer,
  type Project,
  type ResolveAnswer,
} from "../api/types";
import { useVisitorKey } from "../api/visitorKey";
import { AddressInput } from "../playground/AddressInput";
import { asObject, textOf, writeBody } from "../playground/body";
import { saveDivision } from "../playground/divisionFiles";
import type { Subject } from "../playground/dossier/Dossier";
import { dossierTexts } from "../playground/dossier/texts";
import { type Exchange, headerOf, isPending } from "../playground/exchange";
import {
  type Drawing,
  drawingOfAddress,
  drawingOfParcels,
  drawingOfPlace,
  drawingOfUnit,
} from "../playground/map/drawing";
import { MapView } from "../playground/map/MapView";
import { type ParcelSelection, SelectionContext } from "../playground/map/selection";
import { bodyOfResolved, callOf, parcelsOf, type Task } from "../playground/requests";
import { useSession } from "../playground/session";
import { Facts, Section, useUnits } from "../playground/views/components";
import { DivisionView, proposalOf } from "../playground/views/DivisionView";
import { UnitFacts, useLegend } from "../playground/views/LandUnitView";
import { viewTexts } from "../playground/views/texts";
import { parsed } from "../samples/sample";
import { keptKey, useApiKey } from "../shell/apiKey";
import { fragment, useAddress } from "../shell/fragment";
import { useText } from "../shell/language";
import { Page } from "../shell/Page";
import { ErrorBoundary, Loading, Notice, onDemand } from "../shell/states";
import { usePageTitle } from "../shell/title";
import { ProjectForm } from "./ProjectForm";
import { Results } from "./Results";
import { SearchForm } from "./SearchForm";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";
import { ViewChoice } from "./ViewChoice";
import { WithoutKey } from "./WithoutKey";

const DOSSIER = "#dossier";
const FILE = "#file";
const FilePanel = onDemand(() => import("../playground/FilePanel"));
const Dossier = onDemand(() => import("../playground/dossier/Dossier"));
const PARCEL = /^\d[\dAB]\d{3}\d{3}[\dA-Z]{2}\d{4}$/;
const MAX_QUESTION = 2000;
const TEST_KEY = "lp_test_";

export default function Terrain() {
  const t = useText(terrainTexts);
  const dossier = useText(dossierTexts);
  const apiKey = useApiKey();
  const { drafts, exchanges, write, send, cancel, drop } = useSession(callOf);
  const isRefused = Object.values(exchanges).some(({ status, key }) => status === 401 && key === apiKey);
  const { mutate: takeTestKey, error: noKey } = useVisitorKey();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a test key that the service refuses is replaced
  useEffect(() => {
    if (apiKey === "" || apiKey === keptKey()?.api_key) takeTestKey();
  }, [apiKey, isRefused, takeTestKey]);
  /** The key that someone replaces by their own. */
  const [replacedKey, setReplacedKey] = useState<string | null>(null);
  const asksForKey = apiKey === "" ? noKey !== null : replacedKey === apiKey;
  const sentQuestion = questionIn(exchanges.divide);
  const [text, setText] = useState("");
  const [lookedFor, setLookedFor] = useState("");
  const [question, setQuestion] = useState(sentQuestion);
  const [rank, setRank] = useState<number | null>(null);
  const [corners, setCorners] = useState<readonly Position[]>([]);
  const [isDrawing, setDrawing] = useState(false);
  const address = useAddress(fragment);
  const [hasFile, setHasFile] = useState(false);
  useEffect(() => setHasFile((is) => is || address === FILE), [address]);
  const isDossier = address === DOSSIER;
  const start = useStart();
  usePageTitle(isDossier ? dossier.name : t.title);

  const land = jsonOf<LandUnit>(exchanges.geojson);
  const found = jsonOf<ResolveAnswer>(exchanges.resolve);
  const results = jsonOf<ParcelsAnswer>(exchanges.search);
  const division = exchanges.divide?.json as Division | undefined;
  const streamed = exchanges.divide?.streamed ?? null;
  const study = division ?? streamed?.division;
  const proposal = study ? proposalOf(study, rank) : null;
  const isWriting = isPending(exchanges.divide);
  const chosen = useMemo(() => parcelsIn(drafts.geojson.body, land), [drafts.geojson.body, land]);
  const shown = land?.features[0]?.properties.parcel_ids ?? [];
  const isChanged = land !== undefined && [...chosen].sort().join() !== [...shown].sort().join();

  const look = (body: object) => {
    drop("divide");
    drop("search");
    setRank(null);
    setDrawing(false);
    return send("geojson", { ...drafts.geojson, body: writeBody({ ...body, include: BLOCKS }) });
  };
  const find = async (text: string) => {
    setLookedFor(text);
    const ids = text
      .trim()
      .toUpperCase()
      .split(/[\s,;]+/);
    if (ids.every((id) => PARCEL.test(id))) {
      drop("resolve");
      return look({ parcel_ids: ids });
    }
    if (text.trim() === "") return null;
    const answer = jsonOf<ResolveAnswer>(
      (await send("resolve", { ...drafts.resolve, body: writeBody({ label: text }) })) ?? undefined,
    );
    if (answer === undefined) return null;
    if (answer.parcel_ids.length > 0) return look(JSON.parse(bodyOfResolved(answer)) as object);
    drop("geojson");
    drop("divide");
    drop("search");
    write("geojson", { body: writeBody({}) });
    return null;
  };
  /** Asks about the chosen parcels. Another place, or other parcels than those of the land on the page, are shown first. */
  const ask = async (question: string, project?: Project) => {
    scrollTo(0, 0);
    const isOtherPlace = text.trim() !== "" && text !== lookedFor;
    const shownFirst = await (isOtherPlace ? find(text) : isChanged ? look({ parcel_ids: chosen }) : exchanges.geojson);
    if (jsonOf(shownFirst ?? undefined) === undefined) return;
    const { include: _, ...place } = JSON.parse(shownFirst?.request.body ?? "{}") as { include?: unknown };
    const body = { ...place, ...(question !== "" && { question }), ...(project && { project }) };
    void send("divide", { ...drafts.divide, body: writeBody(body) });
  };
  const search = (body: object) => {
    setDrawing(false);
    void send("search", { ...drafts.search, body: writeBody(body) });
  };

  const drawing = useMemo(() => {
    if (results && results.features.length > 0) return drawingOfParcels(results);
    if (study?.context ?? land) return drawingOfUnit((study?.context ?? land) as LandUnit, proposal);
    if (found && found.address.longitude !== null) return drawingOfAddress(found);
    return start;
  }, [results, study?.context, land, found, proposal, start]);
  const legend = useLegend(drawing, results ? undefined : ((study?.context as LandUnit | undefined) ?? land), proposal);
  const outline = useMemo(() => {
    const add = (corner: Position) => isDrawing && setCorners((before) => [...before, corner]);
    return isDrawing || corners.length > 0 ? { corners, add } : undefined;
  }, [isDrawing, corners]);
  const selection: ParcelSelection = {
    apiKey,
    ids: chosen,
    toggle: (id) =>
      land === undefined
        ? void look({ parcel_ids: [id] })
        : write("geojson", { body: writeBody({ parcel_ids: toggled(chosen, id) }) }),
    outline,
  };
  /** The dossier is about the land on the page, so there is none while other parcels are chosen. */
  const dossierLink = !isChanged && (
    <Button component="a" href={DOSSIER} variant="default" className="lp-screen">
      {t.dossier}
    </Button>
  );
  const latest: Task = study ? "divide" : results ? "search" : land ? "geojson" : "resolve";

  if (isDossier) {
    const subject: Subject = division ? "divide" : "geojson";
    return (
      <Page current="terrain">
        <ErrorBoundary fallback={() => <Notice tone="warning">{dossier.failed}</Notice>}>
          <Dossier
            subject={subject}
            exchanges={exchanges}
            apiKey={apiKey}
            rank={rank}
            onChoose={setRank}
            onRequest={(task, body) => void send(task, { ...drafts[task], body: writeBody(body) })}
          />
        </ErrorBoundary>
      </Page>
    );
  }
  return (
    <Page current="terrain" isWide>
      <div className={styles.page}>
        <header className={`${styles.head} lp-screen`}>
          <h1>{t.title}</h1>
          <ViewChoice current="people" task={latest} />
          {apiKey !== "" && (
            <Button
              size="compact-sm"
              variant="subtle"
              aria-expanded={asksForKey}
              onClick={() => setReplacedKey(asksForKey ? null : apiKey)}
            >
              {t.changeKey}
            </Button>
          )}
        </header>
        {asksForKey ? (
          <WithoutKey
            error={noKey instanceof ApiError && noKey.code === "not_found" ? null : noKey}
            onRetry={takeTestKey}
          />
        ) : (
          <>
            <div className={`${styles.fields} lp-screen`}>
              <form onSubmit={submitting(() => void find(text))} className={styles.line}>
                <AddressInput
                  className={styles.grow}
                  label={t.place}
                  placeholder={t.placeExample}
                  value={text}
                  onChange={setText}
                  onPick={(label) => void find(label)}
                  apiKey={apiKey}
                />
                <Button type="submit" variant="default" disabled={apiKey === ""}>
                  {t.show}
                </Button>
              </form>
              <form onSubmit={submitting(() => void ask(question.trim()))} className={styles.line} aria-label={t.ask}>
                <Textarea
                  className={styles.grow}
                  label={t.question}
                  placeholder={t.questionExample}
                  value={question}
                  maxLength={MAX_QUESTION}
                  autosize
                  minRows={1}
                  maxRows={6}
                  onChange={(event) => setQuestion(event.currentTarget.value)}
                />
                <Button
                  type="submit"
                  disabled={isWriting || (land === undefined && (text.trim() === "" || apiKey === ""))}
                >
                  {t.send}
                </Button>
              </form>
            </div>
            {(apiKey === "" || apiKey.startsWith(TEST_KEY)) && !land && <p className={styles.hint}>{t.trial}</p>}
            <div className={styles.map}>
              <SelectionContext value={selection}>
                {drawing ? <MapView drawing={drawing} items={legend} /> : <Loading />}
              </SelectionContext>
            </div>
            {isChanged && (
              <div className={styles.line}>
                <span>{t.chosen}</span>
                {chosen.map((id) => (
                  <Button
                    key={id}
                    size="compact-sm"
                    variant="default"
                    aria-label={t.remove(id)}
                    onClick={() => selection.toggle?.(id)}
                  >
                    {id} ×
                  </Button>
                ))}
                <Button
                  size="compact-sm"
                  disabled={chosen.length === 0}
                  onClick={() => void look({ parcel_ids: chosen })}
                >
                  {t.showLand}
                </Button>
              </div>
            )}
            <Progress exchange={exchanges.resolve} label={t.loading} onCancel={() => cancel("resolve")} />
            {found && found.parcel_ids.length === 0 && land === undefined && !isPending(exchanges.geojson) && (
              <NotFound found={found} onChoose={setText} />
            )}
            <Progress exchange={exchanges.geojson} label={t.loading} onCancel={() => cancel("geojson")} />
            <Progress exchange={exchanges.search} label={t.loading} onCancel={() => cancel("search")} />
            {results && (
              <Panel title={t.results}>
                <Results
                  answer={results}
                  onChoose={(id) => void look({ parcel_ids: [id] })}
                  onMore={(cursor) => search({ ...JSON.parse(drafts.search.body), cursor })}
                />
              </Panel>
            )}
            <Progress exchange={exchanges.divide} label={t.asking} onCancel={() => cancel("divide")} />
            {study && exchanges.divide && exchanges.divide.status === 200 && (
              <Panel title={t.answer} aside={dossierLink}>
                <DivisionView
                  division={study}
                  streamed={streamed}
                  isWriting={isWriting}
                  saveFile={(form, of) => saveDivision(exchanges.divide as Exchange, form, of)}
                  proposal={proposal}
                  onChoose={setRank}
                >
                  {study.quick_assessment && (
                    <ProjectForm
                      key={exchanges.divide.request.idempotencyKey}
                      question={sentQuestion}
                      assumptions={study.quick_assessment.assumptions}
                      isPending={isWriting}
                      onSend={(project) => void ask(sentQuestion, project)}
                    />
                  )}
                </DivisionView>
              </Panel>
            )}
            {land && !study && <Summary land={land} aside={dossierLink} />}
            {land && (
              <Panel title={t.details}>
                {land.features[0] && <UnitFacts properties={land.features[0].properties} />}
              </Panel>
            )}
            <details className={`${styles.panel} lp-screen`}>
              <summary>{t.search}</summary>
              <SearchForm
                place={found?.address ?? null}
                parcel={shown[0]}
                corners={corners}
                isDrawing={isDrawing}
                onDraw={setDrawing}
                onClear={() => setCorners([])}
                onSearch={search}
                isPending={isPending(exchanges.search)}
              />
            </details>
            <details
              className={`${styles.panel} lp-screen`}
              open={hasFile}
              onToggle={(event) => setHasFile(event.currentTarget.open)}
            >
              <summary>{t.file}</summary>
              {hasFile && <FilePanel apiKey={apiKey} />}
            </details>
          </>
        )}
      </div>
    </Page>
  );
}

function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.panel} aria-label={title}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** What is known in four facts. The details follow the question. */
function Summary({ land, aside }: { land: LandUnit; aside: ReactNode }) {
  const t = useText(terrainTexts);
  const view = useText(viewTexts);
  const units = useUnits();
  const properties = land.features[0]?.properties;
  if (properties === undefined) return null;
  const { address, parcel_ids: ids, land: block, urbanism, buildings } = properties;
  const place = address?.label ?? block?.commune?.name;
  return (
    <Panel title={place ?? t.known} aside={aside}>
      <Facts
        facts={[
          [view.parcels, ids.join(", ")],
          [view.cadastralArea, units.area(block?.cadastral_area_m2)],
          [t.zones, urbanism?.zones.map(({ label }) => label).join(", ") || null],
          [view.buildings, units.count(buildings?.count)],
        ]}
      />
    </Panel>
  );
}

/** What a request waits for, or why it has no answer. */
function Progress({
  exchange,
  label,
  onCancel,
}: {
  exchange: Exchange | undefined;
  label: string;
  onCancel: () => void;
}) {
  const t = useText(terrainTexts);
  if (exchange === undefined || exchange.phase === "cancelled") return null;
  if (isPending(exchange)) {
    return (
      <div className={styles.line}>
        <Loading label={label} />
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          {t.cancel}
        </Button>
      </div>
    );
  }
  const { phase, problem } = exchange;
  if (phase === "unreachable" || phase === "interrupted") {
    return (
      <div role="alert">
        <Notice tone="warning">{t[phase]}</Notice>
      </div>
    );
  }
  if (problem === null) return null;
  const retryAfter = headerOf(exchange, "retry-after");
  return (
    <div role="alert">
      <Notice tone="warning">
        <p>{problem.detail}</p>
        {problem.errors?.map(({ detail }) => detail !== problem.detail && <p key={detail}>{detail}</p>)}
        {retryAfter !== undefined && <p>{t.retryIn(retryAfter)}</p>}
      </Notice>
    </div>
  );
}

function NotFound({ found, onChoose }: { found: ResolveAnswer; onChoose: (label: string) => void }) {
  const t = useText(terrainTexts);
  const labels = found.alternatives.flatMap(({ label }) => label ?? []);
  return (
    <Notice>
      <p>{t.noParcel(found.address.label ?? "")}</p>
      {labels.length > 0 && (
        <Section title={t.meant}>
          <div className={styles.line}>
            {labels.map((label) => (
              <Button key={label} size="compact-sm" variant="default" onClick={() => onChoose(label)}>
                {label}
              </Button>
            ))}
          </div>
        </Section>
      )}
    </Notice>
  );
}

/** Where the map begins: at the land of the sample on the home page. */
function useStart(): Drawing | null {
  const { data } = useHomeSample();
  const context = data?.division.context;
  return useMemo(() => (context ? drawingOfPlace(drawingOfUnit(context, null)) : null), [context]);
}

/** The parcels of the draft, or else those of the answer. */
function parcelsIn(body: string, land: LandUnit | undefined): readonly string[] {
  const ids = parcelsOf(body);
  return ids.length > 0 || land === undefined ? ids : (land.features[0]?.properties.parcel_ids ?? []);
}

/** The list with the item, or without it if it has it. */
function toggled(ids: readonly string[], id: string): readonly string[] {
  return ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
}

/** The question that was sent. A draft may differ from it. */
function questionIn(exchange: Exchange | undefined): string {
  return textOf(asObject(parsed(exchange?.request.body ?? "")).question);
}

function submitting(send: () => void) {
  return (event: FormEvent) => {
    event.preventDefault();
    send();
  };
}

function jsonOf<T>(exchange: Exchange | undefined): T | undefined {
  return exchange?.status === 200 && exchange.problem === null ? (exchange.json as T | undefined) : undefined;
}
