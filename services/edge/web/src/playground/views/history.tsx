// The history of the land: permits and sales, with readable titles for the members.

import type { DvfSale, LandUnitProperties, UrbanAuthorization } from "../../api/types";
import { useText } from "../../shell/language";
import { type Column, DataTable, EmptyNote, Section, useUnits } from "./components";
import { viewTexts } from "./texts";

export function History({ history, coverage }: Pick<LandUnitProperties, "history" | "coverage">) {
  const t = useText(viewTexts);
  const units = useUnits();
  const permits: Column<UrbanAuthorization>[] = [
    { title: t.permit, cell: (row) => row.num_dau },
    { title: t.type, cell: (row) => row.type_dau },
    { title: t.state, cell: (row) => row.etat_dau },
    { title: t.date, isCompact: true, cell: (row) => units.date(row.date_reelle_autorisation) },
    { title: t.nature, cell: (row) => row.nature_projet_declaree },
    { title: t.destination, cell: (row) => row.destination_principale },
    { title: t.parcel, cell: (row) => <code>{row.parcelle_id}</code> },
  ];
  const sales: Column<DvfSale>[] = [
    { title: t.date, isCompact: true, cell: (row) => units.date(row.date_mutation) },
    { title: t.nature, cell: (row) => row.nature_mutation },
    { title: t.type, cell: (row) => row.type_local },
    { title: t.price, isNumber: true, cell: (row) => units.euros(row.valeur_fonciere) },
    { title: t.builtArea, isNumber: true, cell: (row) => units.area(row.surface_reelle_bati) },
    { title: t.landArea, isNumber: true, cell: (row) => units.area(row.surface_terrain) },
    { title: t.rooms, isNumber: true, cell: (row) => row.nombre_pieces_principales },
    { title: t.place, isCompact: true, cell: placeOf },
    { title: t.parcel, cell: (row) => <code>{row.id_parcelle}</code> },
  ];
  const { urban_authorizations: authorizations, dvf_sales: sold, former } = history;
  const permitKey = (row: UrbanAuthorization) => row.num_dau;
  const saleKey = (row: DvfSale) => row.id_mutation;
  const noPermits = isCovered(coverage, "sitadel") ? t.noAuthorizations : t.notCovered;
  const none = isCovered(coverage, "dvf") ? t[noSales(history)] : t.notCovered;
  const formerPermits = former.flatMap((parcel) => parcel.urban_authorizations);
  return (
    <>
      <List title={t.authorizations} rows={authorizations} columns={permits} idOf={permitKey} none={noPermits} />
      <List title={t.sales} rows={sold} columns={sales} idOf={saleKey} none={none} />
      <List title={t.formerSales} rows={former.flatMap((each) => each.dvf_sales)} columns={sales} idOf={saleKey} />
      <List title={t.formerAuthorizations} rows={formerPermits} columns={permits} idOf={permitKey} />
    </>
  );
}

interface ListProps<T> {
  title: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  idOf: (row: T) => string | null;
  /** What an empty list says. Without it, the list is left out. */
  none?: string;
}

function List<T>({ title, rows, columns, idOf, none }: ListProps<T>) {
  if (rows.length === 0 && none === undefined) return null;
  return (
    <Section title={title}>
      {rows.length > 0 ? (
        <DataTable label={title} rows={rows} columns={columns} rowKey={(row, index) => `${idOf(row)} ${index}`} />
      ) : (
        <EmptyNote>{none}</EmptyNote>
      )}
    </Section>
  );
}

/** The text for land without a sale of its own: a parcel that it comes from may have one. */
export function noSales(history: LandUnitProperties["history"]): "noSales" | "onlyFormerSales" | "lineageUnknown" {
  if (history.former.some((parcel) => parcel.dvf_sales.length > 0)) return "onlyFormerSales";
  return history.is_lineage_known ? "noSales" : "lineageUnknown";
}

/** Whether all datasets of this family cover the land. Only then an empty list means "none". */
function isCovered(coverage: LandUnitProperties["coverage"], family: string): boolean {
  const states = Object.entries(coverage ?? {}).filter(([dataset]) => dataset.startsWith(family));
  return states.length > 0 && states.every(([, state]) => state === "covered");
}

function placeOf(row: DvfSale): string | null {
  const parts = [row.adresse_numero, row.adresse_suffixe, row.adresse_nom_voie].filter(Boolean);
  return parts.length > 0 ? parts.join(" ") : null;
}
