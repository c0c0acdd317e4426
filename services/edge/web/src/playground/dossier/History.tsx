// Permits and sales of the land, newest first. Those of several parcels are one row.
import type { LandUnitProperties, Source } from "../../api/types";
import { useText } from "../../shell/language";
import { PlainTable } from "../../shell/PlainTable";
import { noSales } from "../views/history";
import styles from "./Dossier.module.css";
import { MOST_NAMES, named, PERMITS, reasonOf, shortName } from "./facts";
import { grouped, Notes, Section, useWords } from "./parts";
import { dossierTexts } from "./texts";

/** Rows of the history on the page; the rest is counted. */
const MOST_ROWS = 5;

export function History({ properties, notes }: { properties: LandUnitProperties; notes: readonly Source[] }) {
  const words = useWords();
  const { t, view, units } = words;
  const { urban_authorizations: permits, dvf_sales: sales } = properties.history;
  const names = new Map(properties.parcels.map((parcel) => [parcel.parcel_id, shortName(parcel)]));
  /** The parcels of a permit or sale, if the land has several. */
  const place = (ids: readonly (string | null)[]) =>
    names.size > 1 &&
    named(
      [...new Set(ids)].map((id) => names.get(id ?? "") ?? id ?? ""),
      words,
      MOST_NAMES,
      ", ",
    );
  const total = (areas: readonly (number | null)[]) => {
    const known = areas.filter((area) => area !== null);
    return known.length > 0 ? units.area(known.reduce((sum, area) => sum + area, 0)) : "–";
  };
  return (
    <>
      <Section title={t.authorizations} notes={<Notes of={PERMITS} notes={notes} />}>
        <Newest
          head={[view.date, view.permit, view.state, view.nature]}
          rows={grouped(permits, (each) => `${each.type_dau} ${each.num_dau}`).map(([id, [first, ...others]]) => ({
            id,
            on: first.date_reelle_autorisation,
            cells: [
              units.date(first.date_reelle_autorisation),
              [first.type_dau, first.num_dau].filter(Boolean).join("\u00a0"),
              first.etat_dau,
              [
                first.nature_projet_declaree,
                first.destination_principale,
                place([first, ...others].map((each) => each.parcelle_id)),
              ]
                .filter(Boolean)
                .join(", "),
            ],
          }))}
          none={view.noAuthorizations}
          reason={reasonOf(properties, PERMITS, words)}
        />
      </Section>
      <Section title={t.sales} notes={<Notes of={["dvf"]} notes={notes} />}>
        <Newest
          head={[view.date, view.nature, view.price, t.builtAndLand]}
          rows={grouped(sales, (each) => `${each.id_mutation} ${each.valeur_fonciere}`).map(([id, all]) => ({
            id,
            on: all[0].date_mutation,
            cells: [
              units.date(all[0].date_mutation),
              [
                all[0].nature_mutation,
                all.find((each) => each.type_local !== null)?.type_local,
                place(all.map((each) => each.id_parcelle)),
              ]
                .filter(Boolean)
                .join(", "),
              units.euros(all[0].valeur_fonciere),
              `${total(all.map((each) => each.surface_reelle_bati))}, ${total(all.map((each) => each.surface_terrain))}`,
            ],
          }))}
          none={view[noSales(properties.history)]}
          reason={reasonOf(properties, ["dvf"], words)}
        />
      </Section>
    </>
  );
}

interface Event {
  id: string;
  on: string | null;
  cells: (string | null)[];
}

function Newest({ head, rows, none, reason }: { head: string[]; rows: Event[]; none: string; reason: string | null }) {
  const t = useText(dossierTexts);
  const sorted = [...rows].sort((left, right) => (right.on ?? "").localeCompare(left.on ?? ""));
  const older = sorted.length - MOST_ROWS;
  if (rows.length === 0) return <p>{reason === null ? none : t.unknownBecause(reason)}</p>;
  return (
    <>
      <PlainTable head={head} className={styles.table}>
        {sorted.slice(0, MOST_ROWS).map(({ id, cells }) => (
          <tr key={id}>
            {cells.map((cell, place) => (
              <td key={head[place]}>{cell ?? t.unknown}</td>
            ))}
          </tr>
        ))}
      </PlainTable>
      {older > 0 && <p>{t.olderOnes(older)}</p>}
    </>
  );
}
