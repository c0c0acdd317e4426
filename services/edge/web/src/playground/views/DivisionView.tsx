import { Button, SegmentedControl } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Answer, Division, Lot, Proposal, QuickAssessment } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, Loading, Notice } from "../../shell/states";
import type { FileForm, Saved } from "../divisionFiles";
import { Markdown } from "../Markdown";
import { lotColor } from "../map/drawing";
import type { StreamState } from "../stream";
import { Checks } from "./Checks";
import { DataTable, EmptyNote, Section, useUnits, Warnings } from "./components";
import { viewTexts } from "./texts";
import { articlesOf, knownOf, VERDICT_TONES } from "./verdicts";
import styles from "./views.module.css";

const KEPT = "kept_house"; // its name says that it has a building
const HEADING_LEVEL = 2; // the answer's headings start at level 3, under a section of level 3

/** The proposal with this rank, or else the first. */
export function proposalOf({ quick_assessment: assessment }: Division, rank: number | null): Proposal | null {
  const proposals = assessment?.proposals ?? [];
  return proposals.find((each) => each.rank === rank) ?? proposals[0] ?? null;
}

/** The answer first, then the children, the verdict and the lots. Its page has the land and the map. */
export function DivisionView({
  division,
  streamed,
  isWriting,
  saveFile,
  proposal,
  onChoose,
  children,
}: {
  division: Division;
  /** Set during and after a stream. */
  streamed: StreamState | null;
  isWriting: boolean;
  saveFile: (form: FileForm, rank: number) => Promise<Saved>;
  proposal: Proposal | null;
  onChoose: (rank: number) => void;
  children: ReactNode;
}) {
  const t = useText(viewTexts);
  const { quick_assessment: assessment, prompt } = division;
  const text = streamed?.answerText ?? division.answer?.text ?? "";
  return (
    <div className={styles.view}>
      <Section title={null}>
        {text === "" ? (
          isWriting && <Loading label={t.writing} />
        ) : (
          <div className={styles.answer} data-writing={isWriting || undefined} data-testid="answer">
            <Markdown text={text} topLevel={HEADING_LEVEL} />
          </div>
        )}
        {prompt && <p className={styles.small}>{t.writtenBy(prompt.provider, prompt.model)}</p>}
        <Warnings warnings={prompt?.warnings} />
      </Section>
      {division.answer && <Questions answer={division.answer} />}
      {children}
      {assessment && <Verdict assessment={assessment} />}
      {assessment && <Proposals proposals={assessment.proposals} chosen={proposal} onChoose={onChoose} />}
      {prompt && !isWriting && (
        <div className="lp-screen">
          <Files rank={proposal?.rank ?? 1} key={proposal?.rank} saveFile={saveFile} />
        </div>
      )}
      {assessment && <Checks checks={assessment.checks} answer={text} />}
    </div>
  );
}

function Verdict({ assessment }: { assessment: QuickAssessment }) {
  const t = useText(viewTexts);
  const { verdict, procedure } = assessment;
  return (
    <Section title={t.verdict}>
      <div className={styles.verdict}>
        <Badge tone={VERDICT_TONES[verdict] ?? "neutral"}>{t.verdicts[verdict] ?? verdict}</Badge>
        <span className={styles.small}>{t.knownChecks(...knownOf(assessment))}</span>
      </div>
      <p className={styles.summary}>{assessment.summary}</p>
      {procedure && (
        <p className={styles.small}>
          {t.named(t.procedure, `${procedure.label} (${articlesOf(procedure.legal_refs).join(t.semicolon)})`)}
        </p>
      )}
      <p className={styles.small}>{assessment.disclaimer}</p>
    </Section>
  );
}

function Proposals({
  proposals,
  chosen,
  onChoose,
}: {
  proposals: readonly Proposal[];
  chosen: Proposal | null;
  onChoose: (rank: number) => void;
}) {
  const t = useText(viewTexts);
  const units = useUnits();
  if (chosen === null) return <EmptyNote>{t.noProposals}</EmptyNote>;
  return (
    <Section
      title={t.proposals}
      aside={
        proposals.length > 1 && (
          <SegmentedControl
            aria-label={t.proposals}
            value={String(chosen.rank)}
            onChange={(value) => onChoose(Number(value))}
            data={proposals.map(({ rank }) => ({ value: String(rank), label: t.proposal(rank) }))}
          />
        )
      }
    >
      <DataTable
        label={t.proposal(chosen.rank)}
        rows={chosen.lots.features}
        rowKey={(lot, index) => String(lot.id ?? index)}
        columns={[
          { title: t.lot, cell: (lot) => <LotName lot={lot} color={lotColor(chosen.lots.features.indexOf(lot))} /> },
          { title: t.lotArea, isNumber: true, cell: (lot) => units.area(lot.properties.area_m2) },
          { title: t.lotFrontage, isNumber: true, cell: (lot) => units.length(lot.properties.frontage_m) },
          { title: t.lotBuildable, isNumber: true, cell: (lot) => units.area(lot.properties.buildable_area_m2) },
          { title: t.role, cell: (lot) => <Role lot={lot} /> },
        ]}
      />
      <details className={styles.context}>
        <summary>{t.sides}</summary>
        <p className={styles.small}>{chosen.summary}</p>
        <dl className={styles.sides}>
          {chosen.lots.features.map((lot) => (
            <Sides key={lot.id} lot={lot} />
          ))}
        </dl>
      </details>
    </Section>
  );
}

function LotName({ lot, color }: { lot: Lot; color: string }) {
  return (
    <strong className={styles.lot}>
      <span className={styles.swatch} style={{ background: color }} aria-hidden="true" />
      {lot.id}
    </strong>
  );
}

function Role({ lot: { properties } }: { lot: Lot }) {
  const t = useText(viewTexts);
  const role = t.roles[properties.role] ?? properties.role;
  return <>{properties.has_existing_building && properties.role !== KEPT ? t.withBuilding(role) : role}</>;
}

function Sides({ lot }: { lot: Lot }) {
  const t = useText(viewTexts);
  const { hundredths } = useFormats();
  const written = lot.properties.sides.map(
    ({ length_m: length, kind }) => `${hundredths(length)} m ${t.sideKinds[kind] ?? kind}`,
  );
  return (
    <div>
      <dt>
        {t.lot} {lot.id}
      </dt>
      <dd>{written.join(" · ")}</dd>
    </div>
  );
}

/** Downloads of the answer that is shown. They repeat its request, so they cost nothing. */
function Files({ rank, saveFile }: { rank: number; saveFile: (form: FileForm, rank: number) => Promise<Saved> }) {
  const t = useText(viewTexts);
  const [state, setState] = useState<Saved | "saving" | null>(null);
  const start = async (form: FileForm) => {
    setState("saving");
    setState(await saveFile(form, rank));
  };
  return (
    <Section title={t.files}>
      <div className={styles.actions}>
        <Button variant="default" disabled={state === "saving"} onClick={() => void start("dxf")}>
          {t.dxf(rank)}
        </Button>
        <Button variant="default" disabled={state === "saving"} onClick={() => void start("geopackage")}>
          {t.geopackage}
        </Button>
      </div>
      <p className={styles.small}>{t.filesFree}</p>
      {state !== null && state !== "saving" && state.kind !== "saved" && (
        <Notice tone="warning">{state.kind === "problem" ? state.of.detail : t.fileStates[state.kind]}</Notice>
      )}
    </Section>
  );
}

/** What was asked: the text answers the first ones, and the table says whom to ask about the others. */
function Questions({ answer }: { answer: Partial<Answer> }) {
  const t = useText(viewTexts);
  const { answered = [], unanswered = [] } = answer;
  return (
    <>
      {answered.length > 0 && (
        <p className={styles.small}>{t.named(t.answered, answered.map(({ question }) => question).join(" · "))}</p>
      )}
      {unanswered.length > 0 && (
        <DataTable
          label={t.unanswered}
          rows={unanswered}
          rowKey={(row, index) => `${row.intent} ${index}`}
          columns={[
            { title: t.unanswered, cell: (row) => row.question },
            { title: t.reason, cell: (row) => row.reason },
            { title: t.ask, cell: (row) => row.ask },
          ]}
        />
      )}
    </>
  );
}
