// The printed pages of a dossier: plan, facts, history, assessment, lots, sources. Footnote numbers name the sources.
import type { LandUnit, LandUnitProperties, Proposal, QuickAssessment, Source } from "../../api/types";
import { todayInParis } from "../../shell/format";
import { Assessment, Lots } from "./Division";
import styles from "./Dossier.module.css";
import { footnotesOf, groupsOf, MOST_NAMES, named, PERMITS, type Row, shortName, type Words } from "./facts";
import { History } from "./History";
import { PlanFigure } from "./PlanFigure";
import { grouped, Notes, Section, useWords } from "./parts";

export function Sheet({
  unit,
  properties,
  assessment,
  proposal,
  apiKey,
}: {
  unit: LandUnit;
  properties: LandUnitProperties;
  assessment: QuickAssessment | null;
  proposal: Proposal | null;
  apiKey: string;
}) {
  const words = useWords();
  const { t } = words;
  const groups = groupsOf(properties, words);
  const used = [...groups.flatMap(({ rows }) => rows.flatMap((row) => row.datasets)), ...PERMITS, "dvf"];
  const notes = footnotesOf(used, properties.sources);
  const [land, built, planning, risks] = groups.map((group) => (
    <Section key={group.title} title={group.title}>
      <Facts rows={group.rows} notes={notes} />
    </Section>
  ));
  return (
    <article className={styles.sheet}>
      <Title properties={properties} />
      <div className={styles.top}>
        <PlanFigure unit={unit} proposal={proposal} apiKey={apiKey} />
        <div>
          {land}
          {built}
        </div>
      </div>
      <div className={styles.columns}>
        {planning}
        <History properties={properties} notes={notes} />
        {risks}
      </div>
      {assessment && <Assessment assessment={assessment} />}
      {proposal && <Lots proposal={proposal} />}
      <Sources notes={notes} />
      <footer className={styles.disclaimer}>
        <p>
          <strong>{t.disclaimer}</strong> {assessment?.disclaimer}
        </p>
        <p>{t.dvf}</p>
      </footer>
    </article>
  );
}

/** What the top of the next pages repeats. */
export function headingOf(properties: LandUnitProperties, words: Words): { title: string; place: string } {
  const { t } = words;
  const { parcels, address, land } = properties;
  const names = named(parcels.map(shortName), words, MOST_NAMES, ", ");
  const parcelNames = parcels.length > 1 ? t.parcelsOf(names) : t.parcelOf(names);
  const codes = [...new Set(parcels.map((each) => each.commune_code))];
  const commune = land?.commune;
  const place = commune?.name ? t.communeOf(commune.name, commune.code) : t.insee(codes.join(", "));
  return address?.label ? { title: address.label, place: `${parcelNames} · ${place}` } : { title: parcelNames, place };
}

function Title({ properties }: { properties: LandUnitProperties }) {
  const words = useWords();
  const { t, formats } = words;
  const { title, place } = headingOf(properties, words);
  return (
    <header className={styles.title}>
      <div>
        <h1>{title}</h1>
        <p>{place}</p>
      </div>
      <p>
        <strong>{t.sheet}</strong>
        <br />
        {t.madeOn(formats.date(todayInParis()))}
      </p>
    </header>
  );
}

function Facts({ rows, notes }: { rows: readonly Row[]; notes: readonly Source[] }) {
  return (
    <table className={styles.facts}>
      <tbody>
        {rows.map(({ name, value, datasets }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              {value}
              <Notes of={datasets} notes={notes} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Sources({ notes }: { notes: readonly Source[] }) {
  const { t, view, formats } = useWords();
  const editionOf = ({ edition, retrieved_at: at }: Source) =>
    edition === "unknown"
      ? `${view.edition} ${view.unknownEdition}, ${t.readOn(formats.date(at))}`
      : `${view.edition} ${edition}`;
  const numbered = notes.map((source, index) => ({ source, number: index + 1 }));
  const publishers = grouped(numbered, ({ source }) => source.publisher);
  const licences = grouped(notes, ({ licence }) => licence);
  return (
    <Section title={t.sources}>
      <p className={styles.sources}>
        {publishers.map(([publisher, sources]) => (
          <span key={publisher} className={styles.publisher}>
            <b>{view.named(publisher, "")}</b>
            {grouped(sources, ({ source }) => editionOf(source)).map(([edition, ofEdition], index) => (
              <span key={edition}>
                {index > 0 && t.separator}
                {ofEdition.map(({ source, number }, place) => (
                  <span key={number}>
                    {place > 0 && ", "}
                    <sup>{number}</sup>
                    {source.dataset}
                  </span>
                ))}
                {` (${edition})`}
              </span>
            ))}
            .
          </span>
        ))}
        {licences.map(([licence, sources]) => (
          <span key={licence}>
            {view.named(licence, [...new Set(sources.map(({ attribution }) => attribution))].join(t.separator))}.{" "}
          </span>
        ))}
      </p>
    </Section>
  );
}
