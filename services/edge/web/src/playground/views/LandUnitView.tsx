import type { LandUnit, LandUnitProperties, Proposal } from "../../api/types";
import { useText } from "../../shell/language";
import type { Drawing } from "../map/drawing";
import type { LegendItem } from "../map/MapView";
import { mapTexts } from "../map/texts";
import { Blocks } from "./blocks";
import { DataTable, Section, Sources, useUnits, Warnings } from "./components";
import { History } from "./history";
import { viewTexts } from "./texts";

/** Maximum parcel ids under the map. The table of parcels has all. */
const NAMED_PARCELS = 3;

/** All facts of the land, without the map. */
export function UnitFacts({ properties }: { properties: LandUnitProperties }) {
  return (
    <>
      <Parcels parcels={properties.parcels} />
      <Blocks properties={properties} />
      <History history={properties.history} coverage={properties.coverage} />
      <Warnings warnings={properties.warnings} />
      <Sources sources={properties.sources} />
    </>
  );
}

/** The legend of the map. The table of lots is the legend of lots. */
export function useLegend(drawing: Drawing | null, unit: LandUnit | undefined, proposal: Proposal | null) {
  const t = useText(viewTexts);
  const map = useText(mapTexts);
  const units = useUnits();
  const kinds = new Set(drawing?.features.features.map(({ properties }) => properties.kind));
  const items: LegendItem[] = [];
  for (const { properties } of unit?.features ?? []) {
    const area = units.area(sum(properties.parcels.map((parcel) => parcel.geometric_area_m2)));
    const ids = properties.parcel_ids;
    const name = `${map.unit} ${ids.slice(0, NAMED_PARCELS).join(", ")}${ids.length > NAMED_PARCELS ? "…" : ""}`;
    if (kinds.has("unit")) items.push({ kind: "unit", text: area === null ? name : t.named(name, area) });
    const count = properties.buildings?.items.length ?? 0;
    if (kinds.has("building")) items.push({ kind: "building", text: map.building(count) });
  }
  const way = proposal?.shared_way?.properties;
  if (way) items.push({ kind: "way", text: map.way(units.area(way.area_m2) ?? "", units.length(way.width_m) ?? "") });
  for (const kind of ["envelope", "frontage", "address"] as const) {
    if (kinds.has(kind)) items.push({ kind, text: map[kind] });
  }
  return items;
}

function Parcels({ parcels }: { parcels: LandUnitProperties["parcels"] }) {
  const t = useText(viewTexts);
  const units = useUnits();
  return (
    <Section title={t.parcels}>
      <DataTable
        label={t.parcels}
        rows={parcels}
        rowKey={(row) => row.parcel_id}
        columns={[
          { title: t.parcel, cell: (row) => <code>{row.parcel_id}</code> },
          { title: t.cadastralArea, isNumber: true, cell: (row) => units.area(row.cadastral_area_m2) },
          { title: t.geometricArea, isNumber: true, cell: (row) => units.area(row.geometric_area_m2) },
          { title: t.surveyed, cell: (row) => units.yesNo(row.is_surveyed) },
        ]}
      />
    </Section>
  );
}

function sum(values: (number | null)[]): number | null {
  return values.reduce<number | null>((total, value) => (total === null || value === null ? null : total + value), 0);
}
