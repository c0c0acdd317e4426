// The facts of a dossier as rows: a name, a value, and the datasets that it comes from. An unknown value has its reason.
import type { CoverageState, LandUnitProperties, Source } from "../../api/types";
import { capitalized, type Formats } from "../../shell/format";
import type { Units } from "../views/components";
import { levelOf } from "../views/risks";

/** The texts that the rows use. */
export interface Words {
  t: typeof import("./texts").dossierTexts.fr;
  view: typeof import("../views/texts").viewTexts.fr;
  units: Units;
  formats: Formats;
}

export interface Row {
  name: string;
  value: string;
  /** Ids of datasets, as in coverage and sources. */
  datasets: readonly string[];
}

export interface Group {
  title: string;
  rows: Row[];
}

const MOST_NAMED = 3;
const MOST_PARCELS = 10;
/** Of short names of parcels, such as AA 12. */
export const MOST_NAMES = 8;
const RULES = ["gpu-regulations"];
const ZONES = ["gpu-zones", "gpu-documents"];
const EASEMENTS = ["gpu-sup", "gpu-sup-documents"];
const BUILT = ["cadastre-buildings", "bdtopo", "rnb"];
export const PERMITS = ["sitadel-housing", "sitadel-premises", "sitadel-development", "sitadel-demolition"];
/** From the most to the least telling reason. */
const REASONS: readonly CoverageState[] = ["loading", "not_loaded", "not_published", "not_covered", "partial"];

export function groupsOf(properties: LandUnitProperties, words: Words): Group[] {
  const { t } = words;
  return [
    { title: t.land, rows: landRows(properties, words) },
    { title: t.market, rows: builtRows(properties, words) },
    { title: t.planning, rows: planningRows(properties, words) },
    { title: t.risks, rows: riskRows(properties, words) },
  ];
}

/** The numbers of the footnotes: the sources of these datasets in order, each once. */
export function footnotesOf(datasets: readonly string[], sources: readonly Source[]): Source[] {
  const ids = [...new Set(datasets)];
  return ids.flatMap((id) => sources.filter((source) => source.id === id));
}

/** Why nothing is known from these datasets; null if they cover the land. */
export function reasonOf(properties: LandUnitProperties, datasets: readonly string[], { view }: Words): string | null {
  const states = datasets.map((id) => properties.coverage[id]).filter((state) => state !== undefined);
  if (states.length > 0 && states.every((state) => state === "covered")) return null;
  const state = REASONS.find((each) => states.includes(each)) ?? "not_covered";
  return view.coverages[state];
}

/** "AA 12"; the prefix of an absorbed commune stands first. */
export function shortName({ prefix, section, number }: LandUnitProperties["parcels"][number]): string {
  const short = `${section.replace(/^0/, "")} ${Number(number)}`;
  return prefix === "000" ? short : `${prefix} ${short}`;
}

/** The first of these names, and how many are left out. */
export function named(names: readonly string[], { t }: Words, most = MOST_NAMED, separator = t.separator): string {
  const shown = names.slice(0, most).join(separator);
  return names.length > most ? `${shown} ${t.andMore(names.length - most)}` : shown;
}

type Maker = (name: string, value: string | null | undefined | false, datasets: readonly string[]) => Row;

/** Makes the rows of a block: a null or absent block makes them unknown, with the reason. */
function maker(properties: LandUnitProperties, block: object | null | undefined, words: Words): Maker {
  const { t } = words;
  return (name, value, datasets) => {
    const because = block === undefined ? t.notAsked : (reasonOf(properties, datasets, words) ?? t.notGiven);
    return { name, value: value || t.unknownBecause(because), datasets };
  };
}

/** The names of a list. An empty list means none only where the datasets cover the land. */
function listed(
  properties: LandUnitProperties,
  names: readonly string[],
  datasets: readonly string[],
  words: Words,
  none: string,
): string {
  const reason = reasonOf(properties, datasets, words);
  if (names.length > 0) return named(names, words);
  return reason === null ? none : words.t.unknownBecause(reason);
}

function landRows(properties: LandUnitProperties, words: Words): Row[] {
  const { t, view, units, formats } = words;
  const { land, parcels } = properties;
  const row = maker(properties, land, words);
  const plan = ["cadastre-parcels"];
  const sum = (member: "cadastral_area_m2" | "geometric_area_m2") =>
    parcels.reduce<number | null>(
      (all, each) => (all === null || each[member] === null ? null : all + each[member]),
      0,
    );
  const relief = land?.terrain;
  const slope = units.percent(relief?.mean_slope_percent);
  const aspect = relief?.aspect && (view.aspects[relief.aspect] ?? relief.aspect);
  const owners = (land?.owners ?? []).map((owner) =>
    [owner.name ?? view.nameWithheld, owner.siren && `SIREN ${owner.siren}`, owner.right_label]
      .filter(Boolean)
      .join(", "),
  );
  const addresses = (land?.addresses ?? []).map(({ number, street, label }) =>
    number && street ? `${number} ${street}` : (label ?? ""),
  );
  return [
    {
      name: t.parcelIds,
      value: named(
        parcels.map(({ parcel_id: id }) => id),
        words,
        MOST_PARCELS,
        ", ",
      ),
      datasets: plan,
    },
    maker(properties, properties, words)(
      t.areas,
      units.area(land?.cadastral_area_m2 ?? sum("cadastral_area_m2")),
      plan,
    ),
    row(
      t.drawn,
      joined(
        units.area(land?.geometric_area_m2 ?? sum("geometric_area_m2")),
        units.length(land?.perimeter_m),
        land?.projection &&
          land.projection_scale !== null &&
          view.onTheGround(land.projection, formats.factor(land.projection_scale)),
      ),
      plan,
    ),
    row(t.frontage, units.length(land?.frontage_m), plan),
    row(t.state, land && joined(t.surveyed[String(land.is_surveyed)], t.contiguous[String(land.is_contiguous)]), plan),
    row(t.terrain, joined(units.length(relief?.mean_altitude_m), slope && aspect ? t.slopeTo(slope, aspect) : slope), [
      "altimetry",
    ]),
    row(t.owners, land && listed(properties, owners, ["personnes-morales"], words, t.none), ["personnes-morales"]),
    row(t.addresses, land && listed(properties, addresses, ["ban"], words, t.none), ["ban"]),
  ];
}

function builtRows(properties: LandUnitProperties, words: Words): Row[] {
  const { t, view, units } = words;
  const { buildings, real_estate: market } = properties;
  const built = maker(properties, buildings, words);
  const used =
    buildings?.items.flatMap((each) => [each.outline_source, each.facts_source ?? each.outline_source]) ?? [];
  const from = used.length > 0 ? [...new Set(used)] : BUILT.filter((id) => properties.coverage[id] === "covered");
  const facts = buildings?.items
    .slice(0, MOST_NAMED)
    .map((each) =>
      joined(
        each.usage,
        units.length(each.height_m),
        each.storeys === null ? null : t.storeys(each.storeys),
        each.construction_year === null ? null : String(each.construction_year),
      ),
    );
  const footprint = units.area(buildings?.footprint_area_m2);
  const ratio = units.ratio(buildings?.ground_coverage_ratio);
  const what = [footprint && ratio ? t.footprint(footprint, ratio) : footprint, ...(facts ?? [])].filter(Boolean);
  const shared = (buildings?.joint_ownerships ?? []).map((each) => each.name ?? each.id);
  const ratings = buildings?.energy_ratings?.energy.map(({ letter, count }) => view.named(letter, String(count)));
  const sales = market?.summary;
  const price = units.euros(sales?.median_price_eur_per_m2);
  const radius = units.length(market?.radius_m);
  return [
    built(
      t.buildings,
      buildings?.count != null && (buildings.count === 0 ? t.noneOf : [buildings.count, ...what].join(t.separator)),
      from.length > 0 ? from : BUILT,
    ),
    built(t.jointOwnerships, buildings && listed(properties, shared, ["rnic"], words, t.noJointOwnership), ["rnic"]),
    built(t.ratings, buildings && (ratings ? ratings.join(", ") : listed(properties, [], ["dpe"], words, t.noRating)), [
      "dpe",
    ]),
    maker(properties, market, words)(
      t.median,
      price &&
        radius &&
        sales &&
        t.medianOf(price, view.kinds[market.kind ?? ""] ?? view.unknown, String(sales.sale_count), radius),
      ["dvf"],
    ),
  ];
}

function planningRows(properties: LandUnitProperties, words: Words): Row[] {
  const { t, units, view } = words;
  const { urbanism } = properties;
  const row = maker(properties, urbanism, words);
  const documents = (urbanism?.documents ?? []).map(({ document_type: type, id, approved_on: on }) =>
    joined(type ?? id, on && t.approved(units.date(on) ?? on)),
  );
  const zones = (urbanism?.zones ?? []).map(({ label, zone_type, long_label, overlap_ratio }) =>
    joined(
      zone_type && zone_type !== label ? `${label} (${zone_type})` : label,
      long_label,
      units.ratio(overlap_ratio),
    ),
  );
  const rules = (urbanism?.rules ?? [])
    .filter(({ state, kind }) => state === "regulated" && kind === "main")
    .map(({ text, page }) => joined(text, page !== null && `${view.page.toLowerCase()} ${page}`));
  const over = (label: string, area: number | null, length: number | null) =>
    joined(label, units.area(area) ?? units.length(length));
  const parts = (items: { label: string; overlap_area_m2: number | null; overlap_length_m: number | null }[] = []) =>
    items.map((each) => over(each.label, each.overlap_area_m2, each.overlap_length_m));
  const easements = (urbanism?.easements ?? []).map((each) =>
    over(`${each.category} ${each.name}`, each.overlap_area_m2, each.overlap_length_m),
  );
  const published = urbanism?.published_easement_categories ?? [];
  const noEasement = published.length > 0 ? t.easementsPartial(published.join(", ")) : t.none;
  const names = (items: readonly string[], datasets: readonly string[], none = t.none) =>
    urbanism && listed(properties, items, datasets, words, none);
  return [
    row(t.document, urbanism?.is_rnu ? t.rnu : names(documents, ["gpu-zones"]), ["gpu-documents", "gpu-communes"]),
    row(t.zones, names(zones, ["gpu-zones"]), ZONES),
    row(view.regulation, names(rules, RULES), RULES),
    row(t.prescriptions, names(parts(urbanism?.prescriptions), ["gpu-prescriptions"]), ["gpu-prescriptions"]),
    row(t.informations, names(parts(urbanism?.informations), ["gpu-informations"]), ["gpu-informations"]),
    row(t.easements, names(easements, ["gpu-sup"], noEasement), EASEMENTS),
  ];
}

function riskRows(properties: LandUnitProperties, words: Words): Row[] {
  const { t, view, units, formats } = words;
  const { risks } = properties;
  const from = ["georisques"];
  const row = maker(properties, risks, words);
  if (!risks) return [row(t.present, null, from)];
  const subject = (name: string) => view.riskSubjects[name] ?? name;
  const ofStatus = (...wanted: string[]) => risks.items.filter(({ status }) => wanted.includes(status));
  const present = ofStatus("present").map((risk) => {
    const [nearest] = risk.findings;
    const level = levelOf(risk, view);
    const near = nearest && joined(nearest.name, units.length(nearest.distance_m), nearest.zones.join(", "));
    const known = joined(level, near);
    return known === "" ? subject(risk.subject) : view.named(subject(risk.subject), known);
  });
  const unknown = ofStatus("not_covered", "unavailable").map((risk) =>
    joined(subject(risk.subject), risk.status === "unavailable" ? t.sourceFailed : view.riskStatuses[risk.status]),
  );
  const count = risks.commune?.natural_disaster_count;
  return [
    row(t.present, present.length > 0 ? present.join(t.separator) : t.noneOf, from),
    row(
      t.absent,
      ofStatus("none")
        .map((risk) => subject(risk.subject))
        .join(", ") || t.noneOf,
      from,
    ),
    ...(unknown.length > 0 ? [row(capitalized(view.unknown), unknown.join(t.separator), from)] : []),
    row(t.disasters, count !== null && count !== undefined && t.disastersOf(formats.number(count)), from),
  ];
}

function joined(...parts: readonly (string | null | undefined | false)[]): string {
  return parts.filter(Boolean).join(", ");
}
