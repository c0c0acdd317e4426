// The history of the land: permits and sales, with readable titles for the members.
import { useText } from "../../shell/language";
import type { HistoryItem, LandUnitProperties } from "../answers";
import { type Column, DataTable, Nothing, Section } from "./parts";
import { viewTexts } from "./texts";
import { useUnits } from "./units";

export function History({ history, coverage }: Pick<LandUnitProperties, "history" | "coverage">) {
  const t = useText(viewTexts);
  const units = useUnits();
  const text = (name: string) => (row: HistoryItem) => (row[name] === null ? null : String(row[name]));
  const number = (name: string) => (row: HistoryItem) => (typeof row[name] === "number" ? row[name] : null);
  const permits: Column<HistoryItem>[] = [
    { title: t.permit, cell: text("num_dau") },
    { title: t.type, cell: text("type_dau") },
    { title: t.state, cell: text("etat_dau") },
    { title: t.date, isCompact: true, cell: (row) => units.date(row.date_reelle_autorisation) },
    { title: t.nature, cell: text("nature_projet_declaree") },
    { title: t.destination, cell: text("destination_principale") },
    { title: t.parcel, cell: (row) => <code>{row.parcelle_id}</code> },
  ];
  const sales: Column<HistoryItem>[] = [
    { title: t.date, isCompact: true, cell: (row) => units.date(row.date_mutation) },
    { title: t.nature, cell: text("nature_mutation") },
    { title: t.type, cell: text("type_local") },
    { title: t.price, isNumber: true, cell: (row) => units.euros(number("valeur_fonciere")(row)) },
    { title: t.builtArea, isNumber: true, cell: (row) => units.area(number("surface_reelle_bati")(row)) },
    { title: t.landArea, isNumber: true, cell: (row) => units.area(number("surface_terrain")(row)) },
    { title: t.rooms, isNumber: true, cell: (row) => number("nombre_pieces_principales")(row) },
    { title: t.place, isCompact: true, cell: placeOf },
    { title: t.parcel, cell: (row) => <code>{row.id_parcelle}</code> },
  ];
  const { urban_authorizations: authorizations, dvf_sales: sold } = history;
  return (
    <>
      <Section title={t.authorizations}>
        {authorizations.length > 0 ? (
          <DataTable
            label={t.authorizations}
            rows={authorizations}
            columns={permits}
            rowKey={(row, index) => `${row.num_dau} ${index}`}
          />
        ) : (
          <Nothing>{isCovered(coverage, "sitadel") ? t.noAuthorizations : t.notCovered}</Nothing>
        )}
      </Section>
      <Section title={t.sales}>
        {sold.length > 0 ? (
          <DataTable
            label={t.sales}
            rows={sold}
            columns={sales}
            rowKey={(row, index) => `${row.id_mutation} ${index}`}
          />
        ) : (
          <Nothing>{isCovered(coverage, "dvf") ? t.noSales : t.notCovered}</Nothing>
        )}
      </Section>
    </>
  );
}

/** Whether all datasets of this family cover the land. Only then an empty list means "none". */
function isCovered(coverage: LandUnitProperties["coverage"], family: string): boolean {
  const states = Object.entries(coverage ?? {}).filter(([dataset]) => dataset.startsWith(family));
  return states.length > 0 && states.every(([, state]) => state === "covered");
}

function placeOf(row: HistoryItem): string | null {
  const parts = [row.adresse_numero, row.adresse_suffixe, row.adresse_nom_voie].filter(Boolean);
  return parts.length > 0 ? parts.join(" ") : null;
}
