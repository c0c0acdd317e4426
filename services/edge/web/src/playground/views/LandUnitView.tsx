import { useMemo } from "react";
import type { LandUnit, LandUnitProperties, Proposal } from "../../api/types";
import { useText } from "../../shell/language";
import { drawingOfUnit } from "../map/drawing";
import { type LegendItem, MapView } from "../map/MapView";
import { mapTexts } from "../map/texts";
import { Blocks } from "./blocks";
import { Coverage, DataTable, Section, Sources, useUnits, Warnings } from "./components";
import { History } from "./history";
import { viewTexts } from "./texts";
import styles from "./views.module.css";

/** Maximum parcel ids under the map. The table of parcels has all. */
const NAMED_PARCELS = 3;

export function LandUnitView({ unit }: { unit: LandUnit }) {
  const [feature] = unit.features;
  if (feature === undefined) return null;
  const { properties } = feature;
  return (
    <div className={styles.view}>
      <UnitMap unit={unit} proposal={null} />
      <UnitFacts properties={properties} />
    </div>
  );
}

/** All facts of the land, without the map. */
export function UnitFacts({ properties }: { properties: LandUnitProperties }) {
  return (
    <>
      <Parcels parcels={properties.parcels} />
      <Blocks properties={properties} />
      <History history={properties.history} coverage={properties.coverage} />
      <Warnings warnings={properties.warnings} />
      <Coverage coverage={properties.coverage} />
      <Sources sources={properties.sources} />
    </>
  );
}

/** The map with its legend. The table of lots is the legend of lots. */
export function UnitMap({ unit, proposal }: { unit: LandUnit; proposal: Proposal | null }) {
  const t = useText(viewTexts);
  const map = useText(mapTexts);
  const units = useUnits();
  const drawing = useMemo(() => drawingOfUnit(unit, proposal), [unit, proposal]);
  const kinds = new Set(drawing.features.features.map(({ properties }) => properties.kind));
  const items: LegendItem[] = [];
  for (const { properties } of unit.features) {
    const area = units.area(sum(properties.parcels.map((parcel) => parcel.geometric_area_m2)));
    const ids = properties.parcel_ids;
    const name = `${map.unit} ${ids.slice(0, NAMED_PARCELS).join(", ")}${ids.length > NAMED_PARCELS ? "…" : ""}`;
    const text = area === null ? name : t.named(name, area);
    if (kinds.has("unit")) items.push({ kind: "unit", text });
    const count = properties.buildings?.items.length ?? 0;
    if (kinds.has("building")) items.push({ kind: "building", text: map.building(count) });
  }
  const way = proposal?.shared_way?.properties;
  if (way) items.push({ kind: "way", text: map.way(units.area(way.area_m2) ?? "", units.length(way.width_m) ?? "") });
  if (kinds.has("envelope")) items.push({ kind: "envelope", text: map.envelope });
  if (kinds.has("frontage")) items.push({ kind: "frontage", text: map.frontage });
  if (kinds.has("address")) items.push({ kind: "address", text: map.address });
  return <MapView drawing={drawing} items={items} />;
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
