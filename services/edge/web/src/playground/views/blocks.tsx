// The blocks that `include` selects. An unselected block is absent; an unknown one is null.
import type { ReactNode } from "react";
import type { BuildingsBlock, LandBlock, LandUnitProperties, RealEstateBlock, UrbanismBlock } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { DataTable, EmptyNote, Facts, SafeLink, useUnits } from "./components";
import { Regulation } from "./Regulation";
import { Risks } from "./risks";
import { viewTexts } from "./texts";
import styles from "./views.module.css";

export function Blocks({ properties }: { properties: LandUnitProperties }) {
  const t = useText(viewTexts);
  const { land, urbanism, buildings, real_estate: market, risks } = properties;
  if ([land, urbanism, buildings, market, risks].every((block) => block === undefined)) return null;
  return (
    <div className={styles.blocks}>
      <Block title={t.land} block={land} view={(block) => <Land block={block} />} />
      <Block title={t.urbanism} block={urbanism} view={(block) => <Urbanism block={block} />} />
      <Block title={t.buildings} block={buildings} view={(block) => <Buildings block={block} />} />
      <Block title={t.realEstate} block={market} view={(block) => <Market block={block} />} />
      <Block title={t.risks} block={risks} view={(block) => <Risks block={block} />} />
    </div>
  );
}

function Block<T>({
  title,
  block,
  view,
}: {
  title: string;
  block: T | null | undefined;
  view: (block: T) => ReactNode;
}) {
  const t = useText(viewTexts);
  if (block === undefined) return null;
  return (
    <section className={styles.block}>
      <h3>{title}</h3>
      {block === null ? <EmptyNote>{t.blockUnknown}</EmptyNote> : view(block)}
    </section>
  );
}

function Land({ block }: { block: LandBlock }) {
  const t = useText(viewTexts);
  const { factor } = useFormats();
  const units = useUnits();
  return (
    <>
      <Facts
        facts={[
          [t.commune, block.commune && `${block.commune.name ?? ""} (${block.commune.code})`],
          [t.sections, block.sections.join(", ") || null],
          [t.cadastralArea, units.area(block.cadastral_area_m2)],
          [t.geometricArea, units.area(block.geometric_area_m2)],
          [t.perimeter, units.length(block.perimeter_m)],
          [
            t.projection,
            block.projection &&
              block.projection_scale &&
              t.onTheGround(block.projection, factor(block.projection_scale)),
          ],
          [t.frontage, units.length(block.frontage_m)],
          [t.contiguous, units.yesNo(block.is_contiguous)],
          [t.surveyed, units.yesNo(block.is_surveyed)],
          [t.altitude, units.length(block.terrain?.mean_altitude_m)],
          [t.slope, units.percent(block.terrain?.mean_slope_percent)],
          [t.maxSlope, units.percent(block.terrain?.max_slope_percent)],
          [t.aspect, block.terrain?.aspect ? (t.aspects[block.terrain.aspect] ?? block.terrain.aspect) : null],
        ]}
      />
      {block.addresses.length > 0 && (
        <p className={styles.small}>
          {t.named(t.addresses, block.addresses.map((address) => address.label).join(t.semicolon))}
        </p>
      )}
      {block.owners.length > 0 && (
        <DataTable
          label={t.owners}
          rows={block.owners}
          rowKey={(row, index) => `${row.siren} ${row.right_code} ${index}`}
          columns={[
            { title: t.owners, cell: (row) => row.name ?? t.nameWithheld },
            { title: t.right, cell: (row) => row.right_label },
            { title: t.legalForm, cell: (row) => row.legal_form },
            { title: t.siren, cell: (row) => row.siren },
            { title: t.parcels, cell: (row) => row.parcel_ids.join(", ") },
          ]}
        />
      )}
    </>
  );
}

function Urbanism({ block }: { block: UrbanismBlock }) {
  const t = useText(viewTexts);
  const units = useUnits();
  return (
    <>
      <Facts
        facts={[
          [t.rnu, units.yesNo(block.is_rnu)],
          [t.documents, block.documents.map((each) => each.document_type ?? each.id).join(", ") || t.none],
        ]}
      />
      {block.zones.length > 0 && (
        <DataTable
          label={t.zones}
          rows={block.zones}
          rowKey={(row, index) => `${row.label} ${index}`}
          columns={[
            { title: t.zone, cell: (row) => <strong title={row.long_label ?? undefined}>{row.label}</strong> },
            { title: t.zoneType, cell: (row) => row.zone_type },
            { title: t.share, isNumber: true, cell: (row) => units.ratio(row.overlap_ratio) },
            { title: t.area, isNumber: true, cell: (row) => units.area(row.overlap_area_m2) },
            {
              title: t.regulation,
              cell: (row) => row.regulation_url && <SafeLink address={row.regulation_url}>{t.open}</SafeLink>,
            },
          ]}
        />
      )}
      <Regulation block={block} />
      {(["prescriptions", "informations"] as const).map(
        (name) =>
          block[name].length > 0 && (
            <DataTable
              key={name}
              label={t[name]}
              rows={block[name]}
              rowKey={(row, index) => `${row.label} ${index}`}
              columns={[
                { title: t[name], cell: (row) => row.label },
                { title: t.type, cell: (row) => row.type_label },
                { title: t.area, isNumber: true, cell: (row) => units.area(row.overlap_area_m2) },
              ]}
            />
          ),
      )}
      {block.easements.length > 0 && (
        <DataTable
          label={t.easements}
          rows={block.easements}
          rowKey={(row, index) => `${row.category} ${row.name} ${index}`}
          columns={[
            {
              title: t.category,
              cell: (row) => <strong title={row.category_label ?? undefined}>{row.category}</strong>,
            },
            { title: t.easements, cell: (row) => row.name },
            { title: t.type, cell: (row) => row.type },
            { title: t.share, isNumber: true, cell: (row) => units.ratio(row.overlap_ratio) },
            {
              title: t.act,
              cell: (row) =>
                row.act?.url ? <SafeLink address={row.act.url}>{t.open}</SafeLink> : units.date(row.act?.decided_on),
            },
          ]}
        />
      )}
    </>
  );
}

/** Such as "C 2, D 5". */
const letters = (counts: { letter: string; count: number }[]) =>
  counts.map((each) => `${each.letter}\u00a0${each.count}`).join(", ") || null;

function Buildings({ block }: { block: BuildingsBlock }) {
  const t = useText(viewTexts);
  const units = useUnits();
  return (
    <>
      <Facts
        facts={[
          [t.count, units.count(block.count)],
          [t.footprint, units.area(block.footprint_area_m2)],
          [t.coverageRatio, units.ratio(block.ground_coverage_ratio)],
          [t.energyRatings, block.energy_ratings && letters(block.energy_ratings.energy)],
          [t.greenhouseGas, block.energy_ratings && letters(block.energy_ratings.greenhouse_gas)],
          [t.ratedFrom, units.date(block.energy_ratings?.oldest_on)],
          [t.ratedTo, units.date(block.energy_ratings?.newest_on)],
        ]}
      />
      {block.joint_ownerships.length > 0 && (
        <DataTable
          label={t.jointOwnerships}
          rows={block.joint_ownerships}
          rowKey={(row) => row.id}
          columns={[
            { title: t.jointOwnerships, cell: (row) => row.name ?? row.id },
            { title: t.lots, isNumber: true, cell: (row) => units.count(row.lot_count) },
            { title: t.dwellings, isNumber: true, cell: (row) => units.count(row.dwelling_lot_count) },
            { title: t.parcels, cell: (row) => row.parcel_ids.join(", ") },
          ]}
        />
      )}
      {block.items.length > 0 && (
        <DataTable
          label={t.buildings}
          rows={block.items}
          rowKey={(row, index) => `${row.id} ${index}`}
          columns={[
            { title: t.footprint, isNumber: true, cell: (row) => units.area(row.footprint_m2) },
            { title: t.height, isNumber: true, cell: (row) => units.length(row.height_m) },
            { title: t.storeys, isNumber: true, cell: (row) => units.count(row.storeys) },
            { title: t.usage, cell: (row) => row.usage },
            { title: t.dwellings, isNumber: true, cell: (row) => units.count(row.dwelling_count) },
            { title: t.year, isNumber: true, cell: (row) => row.construction_year },
          ]}
        />
      )}
    </>
  );
}

function Market({ block }: { block: RealEstateBlock }) {
  const t = useText(viewTexts);
  const units = useUnits();
  const { period, summary, comparables } = block;
  const perM2 = (euros: number | null | undefined) => units.euros(euros == null ? null : Math.round(euros));
  const from = units.date(period?.from);
  const to = units.date(period?.to);
  return (
    <>
      <Facts
        facts={[
          [t.kind, block.kind == null ? null : (t.kinds[block.kind] ?? block.kind)],
          [t.kindBasis, block.kind_basis == null ? null : (t.kindBases[block.kind_basis] ?? block.kind_basis)],
          [t.radius, units.length(block.radius_m)],
          [t.period, from && to ? `${from} – ${to}` : null],
          [t.saleCount, units.count(summary?.sale_count)],
          [t.lastSale, units.date(summary?.last_sale_on)],
          [t.medianPrice, perM2(summary?.median_price_eur_per_m2)],
        ]}
      />
      {comparables?.length > 0 && (
        <DataTable
          label={t.comparables}
          rows={comparables}
          rowKey={(row, index) => `${row.id_mutation} ${index}`}
          columns={[
            { title: t.date, isCompact: true, cell: (row) => units.date(row.date_mutation) },
            {
              title: t.type,
              cell: (row) => row.type_local ?? (row.kind == null ? null : (t.kinds[row.kind] ?? row.kind)),
            },
            { title: t.price, isNumber: true, cell: (row) => units.euros(row.valeur_fonciere) },
            { title: t.pricePerM2, isNumber: true, cell: (row) => perM2(row.price_eur_per_m2) },
            { title: t.distance, isNumber: true, cell: (row) => units.length(row.distance_m) },
          ]}
        />
      )}
    </>
  );
}
