// The assessment of a division, with the checks that are not settled, and the lots of a proposal.
import type { Lot, Proposal, QuickAssessment } from "../../api/types";
import { PlainTable } from "../../shell/PlainTable";
import { articlesOf, knownOf } from "../views/verdicts";
import styles from "./Dossier.module.css";
import { Section, useWords } from "./parts";

const STATUSES = ["fail", "warn", "unknown"] as const;

export function Assessment({ assessment }: { assessment: QuickAssessment }) {
  const { t, view } = useWords();
  const { verdict, procedure, summary, checks } = assessment;
  const open = STATUSES.flatMap((status) => checks.filter((check) => check.status === status));
  return (
    <Section
      title={t.assessment}
      aside={
        <span className={styles.verdict}>
          {view.named(view.verdict, view.verdicts[verdict] ?? verdict)} · {view.knownChecks(...knownOf(assessment))}
        </span>
      }
    >
      <p>
        <strong>{summary}</strong>{" "}
        {procedure &&
          view.named(view.procedure, `${procedure.label} (${articlesOf(procedure.legal_refs).join(t.separator)}).`)}
      </p>
      {open.length === 0 ? (
        <p>{t.noChecks}</p>
      ) : (
        <ul className={styles.checks}>
          {open.map((check) => (
            <li key={check.code}>
              <b data-status={check.status}>{view.statuses[check.status]}</b> {check.detail}
              {check.legal_refs.length > 0 && <i> {articlesOf(check.legal_refs).join(t.separator)}</i>}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

export function Lots({ proposal }: { proposal: Proposal }) {
  const { t, view, units } = useWords();
  const way = proposal.shared_way?.properties;
  const head = [t.lot, view.lotArea, view.lotFrontage, view.lotBuildable, t.lotAccess, view.role, t.lotDimensions];
  return (
    <Section title={t.lots(proposal.rank)}>
      <PlainTable head={head} className={styles.table}>
        {proposal.lots.features.map((lot) => (
          <tr key={lot.id}>
            <th scope="row">{lot.id}</th>
            <td>{units.area(lot.properties.area_m2)}</td>
            <td>{units.length(lot.properties.frontage_m)}</td>
            <td>{units.area(lot.properties.buildable_area_m2)}</td>
            <td>{t.accesses[lot.properties.access] ?? lot.properties.access}</td>
            <td>{view.roles[lot.properties.role] ?? lot.properties.role}</td>
            <td>
              <Sides lot={lot} />
            </td>
          </tr>
        ))}
      </PlainTable>
      {way && (
        <p>
          {view.named(
            t.legend.way ?? "",
            [units.area(way.area_m2), units.length(way.width_m), units.length(way.length_m)].join(" · "),
          )}
        </p>
      )}
    </Section>
  );
}

/** The lengths in order; sides that follow each other on the same kind stand together. */
function Sides({ lot }: { lot: Lot }) {
  const { t, formats } = useWords();
  const runs: { kind: string; lengths: string[] }[] = [];
  for (const { kind, length_m: length } of lot.properties.sides) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.lengths.push(formats.hundredths(length));
    else runs.push({ kind, lengths: [formats.hundredths(length)] });
  }
  return runs.map(({ kind, lengths }) => `${t.sideKinds[kind] ?? kind} ${lengths.join(" + ")}`).join(" · ");
}
