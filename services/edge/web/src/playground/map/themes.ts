// Themes over the map, from our own tiles: the zones of the plan, hatched by type, its prescriptions with the public
// easements, the zones of risk plans, and the sales with their prices.
import type { ExpressionSpecification, LayerSpecification, Map as MapLibre } from "maplibre-gl";

export const HATCH = "hatch";
const HATCH_PX = 12;
export type Scheme = "light" | "dark";
export type Paint = [
  layer: string,
  name: Parameters<MapLibre["setPaintProperty"]>[1],
  value: string | number | ExpressionSpecification,
];
export const ZONES = "zones";
export const SALES = "sales";
export const RISKS = "risks";
export const RESTRICTIONS = "restrictions";
/** Each is switched on separately. */
export const THEMES = [ZONES, RESTRICTIONS, RISKS, SALES] as const;
export type Theme = (typeof THEMES)[number];
const ZONE_FAMILIES = ["U", "AU", "A", "N", "other"] as const;
type ZoneFamily = (typeof ZONE_FAMILIES)[number];
type Regulation = "forbidden" | "conditions" | "acquisition" | "unknown";
/** What the legend explains. */
export type LegendItem = "ground" | "house" | `zone-${ZoneFamily}` | "sale" | "restriction" | `risk-${Regulation}`;

export const DVF_CREDIT =
  '<a href="https://www.data.gouv.fr/datasets/demandes-de-valeurs-foncieres" target="_blank" rel="noopener">DGFiP, ventes</a>';
export const GPU_CREDIT =
  '<a href="https://www.geoportail-urbanisme.gouv.fr/" target="_blank" rel="noopener">Géoportail de l’urbanisme</a>';
export const RISK_CREDIT = '<a href="https://www.georisques.gouv.fr/" target="_blank" rel="noopener">Géorisques</a>';

/** As on the layer SERVITUDES of the drawings. */
const RESTRICTION = { light: "#8a3fa0", dark: "#dda5ee" };
const SALE = { light: "#7a2a8c", dark: "#e2a6f0" };
/** Red and blue, as on the maps of these plans. */
const RISK_INK: Readonly<Record<Regulation, Record<Scheme, string>>> = {
  forbidden: { light: "#c01a1a", dark: "#ff8d85" },
  conditions: { light: "#1c5fb0", dark: "#8fc0ff" },
  acquisition: { light: "#6d2077", dark: "#e0a0ea" },
  unknown: { light: "#4d5560", dark: "#c3cad3" },
};
/** Each family has a colour and a direction of its lines, so that neither alone tells them apart. */
const ZONE_INK: Readonly<Record<ZoneFamily, Record<Scheme, string>>> = {
  U: { light: "#b3261e", dark: "#ff9d94" },
  AU: { light: "#a14a00", dark: "#ffb36b" },
  A: { light: "#7a6200", dark: "#f0d264" },
  N: { light: "#1f6e34", dark: "#8fdd9f" },
  other: { light: "#4d5560", dark: "#c3cad3" },
};
const SLANTS: Readonly<Record<ZoneFamily, (x: number, y: number) => number>> = {
  U: (x, y) => x + y,
  AU: (x, y) => x - y + HATCH_PX,
  A: (_, y) => y,
  N: (x) => x,
  other: (x, y) => Math.min(x, y),
};
/** The first letters of the standard types: U, AUc, AUs, A, Ah, N, Nh, Nd. A commune's simple map has sectors 01 to 03. */
function zoneFamily(type: unknown): ZoneFamily {
  const [found] = /^(U|AU|A|N)/.exec(String(type ?? "")) ?? [];
  return (found as ZoneFamily | undefined) ?? "other";
}

/** The legend's item for a feature of our tiles. */
export function legendItem(layer: string, properties: Record<string, unknown>): LegendItem | null {
  if (layer === ZONES) return `zone-${zoneFamily(properties.zone_type)}`;
  if (layer === RISKS) return `risk-${(properties.regulation as Regulation | undefined) ?? "unknown"}`;
  if (layer === RESTRICTIONS) return "restriction";
  return layer === SALES ? "sale" : null;
}

/** The images of the hatched surfaces: public ground, and each family of zones, which may lie on a dark photograph. */
export function hatches(scheme: Scheme, onScheme: Scheme): [name: string, image: ImageData][] {
  const ground = scheme === "dark" ? "#969696" : "#6e6e6e";
  return [
    [HATCH, hatch(ground, (x, y) => x + y, 150)],
    ...ZONE_FAMILIES.map((family): [string, ImageData] => [
      patternOf(family),
      hatch(ZONE_INK[family][onScheme], SLANTS[family], 215),
    ]),
  ];
}

const patternOf = (family: ZoneFamily) => `zone-${family}`;

/** Lines of two pixels, the second one paler. */
function hatch(color: string, slant: (x: number, y: number) => number, opacity: number): ImageData {
  const image = new ImageData(HATCH_PX, HATCH_PX);
  const rgb = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
  for (let y = 0; y < HATCH_PX; y += 1) {
    for (let x = 0; x < HATCH_PX; x += 1) {
      const distance = slant(x, y) % HATCH_PX;
      const alpha = distance === 0 ? opacity : distance === 1 ? opacity * 0.4 : 0;
      image.data.set([...rgb, alpha], (y * HATCH_PX + x) * 4);
    }
  }
  return image;
}

const zoneType: ExpressionSpecification = ["coalesce", ["get", "zone_type"], ""];

/** A value for each family of zones. The same rule as `zoneFamily`. */
const byFamily = (value: (family: ZoneFamily) => string): ExpressionSpecification => [
  "case",
  ["==", ["slice", zoneType, 0, 2], "AU"],
  value("AU"),
  ["match", ["slice", zoneType, 0, 1], "U", value("U"), "A", value("A"), "N", value("N"), value("other")],
];

const byRegulation = (value: (regulation: Regulation) => string): ExpressionSpecification => [
  "match",
  ["coalesce", ["get", "regulation"], ""],
  "forbidden",
  value("forbidden"),
  "conditions",
  value("conditions"),
  "acquisition",
  value("acquisition"),
  value("unknown"),
];

/** The price of a sale as the language of the page writes it, without cents. */
export function priceText(language: string): ExpressionSpecification {
  const price: ExpressionSpecification = [
    "number-format",
    ["get", "price_eur"],
    { locale: language, "max-fraction-digits": 0 },
  ];
  return language === "fr" ? ["concat", price, "\u00a0€"] : ["concat", "€", price];
}

export type PaintOf<Kind extends "fill" | "line"> = NonNullable<Extract<LayerSpecification, { type: Kind }>["paint"]>;
/** A layer of our own tiles. */
export const ofTiles = <Kind extends "fill" | "line">(
  id: string,
  type: Kind,
  source: string,
  layer: string,
  paint: PaintOf<Kind>,
) => ({ id, type, source, "source-layer": layer, paint });

/** Of labels with one place, the map draws the first. A date is a number here, as 20210203. */
const partOfDate = (start: number, end: number): ExpressionSpecification => [
  "slice",
  ["get", "date_mutation"],
  start,
  end,
];
const NEWEST_FIRST: ExpressionSpecification = [
  "-",
  ["to-number", ["concat", partOfDate(0, 4), partOfDate(5, 7), partOfDate(8, 10)]],
];

const HIDDEN = { visibility: "none" } as const;
export const SURFACES: LayerSpecification[] = [
  { ...ofTiles("risk-fill", "fill", RISKS, RISKS, { "fill-opacity": 0.3 }), layout: HIDDEN },
  { ...ofTiles("risk-line", "line", RISKS, RISKS, { "line-width": 2 }), layout: HIDDEN },
  { ...ofTiles("restriction-fill", "fill", RESTRICTIONS, RESTRICTIONS, { "fill-opacity": 0.15 }), layout: HIDDEN },
  {
    ...ofTiles("restriction-line", "line", RESTRICTIONS, RESTRICTIONS, { "line-width": 1.5, "line-dasharray": [4, 2] }),
    layout: HIDDEN,
  },
  { ...ofTiles("zone-fill", "fill", ZONES, ZONES, { "fill-pattern": byFamily(patternOf) }), layout: HIDDEN },
  { ...ofTiles("zone-line", "line", ZONES, ZONES, { "line-width": 2 }), layout: HIDDEN },
];

/** The name of each zone, inside it. */
const names = (id: string, source: string, member: string): LayerSpecification => ({
  id,
  type: "symbol",
  source,
  "source-layer": source,
  layout: { ...HIDDEN, "text-field": ["get", member], "text-size": 14, "text-padding": 20 },
  paint: { "text-halo-width": 2 },
});

export const LABELS: LayerSpecification[] = [
  names("zone-label", ZONES, "label"),
  names("risk-label", RISKS, "code"),
  names("restriction-label", RESTRICTIONS, "label"),
  {
    id: "sale",
    type: "circle",
    source: SALES,
    "source-layer": "sales",
    layout: HIDDEN,
    paint: { "circle-radius": 6, "circle-stroke-width": 1.5 },
  },
  {
    id: "sale-price",
    type: "symbol",
    source: SALES,
    "source-layer": "sales",
    minzoom: 16,
    layout: { ...HIDDEN, "text-size": 12, "text-offset": [0, 1.2], "text-padding": 2, "symbol-sort-key": NEWEST_FIRST },
    paint: { "text-halo-width": 1.5 },
  },
];

const themed = [...SURFACES, ...LABELS].map((layer) => [layer.id, "source" in layer ? layer.source : ""]);
/** The theme of each layer. */
export const THEME_OF = Object.fromEntries(themed) as Record<string, Theme>;

export function paintOfThemes(scheme: Scheme, halo: string): Paint[] {
  const ofZone = byFamily((family) => ZONE_INK[family][scheme]);
  const ofRisk = byRegulation((regulation) => RISK_INK[regulation][scheme]);
  return [
    ["zone-line", "line-color", ofZone],
    ["zone-label", "text-color", ofZone],
    ["zone-label", "text-halo-color", halo],
    ["risk-fill", "fill-color", ofRisk],
    ["risk-line", "line-color", ofRisk],
    ["risk-label", "text-color", ofRisk],
    ["risk-label", "text-halo-color", halo],
    ["restriction-fill", "fill-color", RESTRICTION[scheme]],
    ["restriction-line", "line-color", RESTRICTION[scheme]],
    ["restriction-label", "text-color", RESTRICTION[scheme]],
    ["restriction-label", "text-halo-color", halo],
    ["sale", "circle-color", SALE[scheme]],
    ["sale", "circle-stroke-color", halo],
    ["sale-price", "text-color", SALE[scheme]],
    ["sale-price", "text-halo-color", halo],
  ];
}
