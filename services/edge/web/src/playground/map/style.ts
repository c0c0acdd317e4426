// What the map draws, from the ground up: background of IGN, cadastre from our own tiles, features of the answer.
import type { DataDrivenPropertyValueSpecification, ExpressionSpecification, StyleSpecification } from "maplibre-gl";
import {
  DVF_CREDIT,
  GPU_CREDIT,
  HATCH,
  LABELS,
  type Paint,
  paintOfThemes,
  SALES,
  type Scheme,
  SURFACES,
  THEME_OF,
  type Theme,
  ZONES,
} from "./themes";

export const FEATURES = "features";
export const PLAN = "plan";
export const ORTHO = "ortho";
export const PARCELS = "parcels";
const BUILDINGS = "buildings";
const TILES = "/api/v1/tiles/";

/** plan and ortho: IGN's map or aerial images with outlines of parcels; cadastre: our own data alone. */
export type Background = "plan" | "ortho" | "cadastre" | "none";
export const BACKGROUNDS: readonly Background[] = ["plan", "ortho", "cadastre", "none"];

const GROUND = { light: "#eef1ee", dark: "#20261f" };
const PARCEL = { light: "#ffffff", dark: "#2a312b" };
const INK = { light: "#59625b", dark: "#aab5ac" };
const HOUSE = { light: "#b9bec0", dark: "#596066" };
const SHOWN_WITH: Readonly<Record<string, readonly Background[]>> = {
  [PLAN]: ["plan"],
  [ORTHO]: ["ortho"],
  communes: ["cadastre"],
  "parcel-fill": ["cadastre"],
  "building-fill": ["cadastre"],
  "parcel-line": ["plan", "ortho", "cadastre"],
  "parcel-chosen": ["plan", "ortho", "cadastre"],
  "parcel-number": ["plan", "ortho", "cadastre"],
};
/** Layers that depend on the choices of the user. */
export const SWITCHED_LAYERS = [...Object.keys(SHOWN_WITH), ...Object.keys(THEME_OF)];

export function isShown(layer: string, background: Background, themes: readonly Theme[]): boolean {
  const theme = THEME_OF[layer];
  return theme === undefined ? (SHOWN_WITH[layer]?.includes(background) ?? true) : themes.includes(theme);
}

export function isOwnTile(url: string): boolean {
  return new URL(url, location.href).origin === location.origin && new URL(url).pathname.startsWith(TILES);
}

/** Photographs are dark in both appearances. */
export function inkScheme(scheme: Scheme, background: Background): Scheme {
  return background === "ortho" ? "dark" : scheme;
}

export function paintOf(scheme: Scheme, background: Background): Paint[] {
  const isPhoto = background === "ortho";
  const ink = isPhoto ? "#ffe28a" : INK[scheme];
  const outline = scheme === "dark" || isPhoto ? "#88c9aa" : "#0f5539";
  const halo = isPhoto ? "#1c1f22" : PARCEL[scheme];
  return [
    ["ground", "background-color", GROUND[scheme]],
    [PLAN, "raster-brightness-max", scheme === "dark" ? 0.55 : 1],
    ["parcel-fill", "fill-color", PARCEL[scheme]],
    ["building-fill", "fill-color", HOUSE[scheme]],
    ["building-fill", "fill-outline-color", INK[scheme]],
    ["parcel-line", "line-color", ink],
    ["parcel-number", "text-color", isPhoto ? "#ffffff" : INK[scheme]],
    ["parcel-number", "text-halo-color", halo],
    ...paintOfThemes(inkScheme(scheme, background), halo),
    ["unit-line", "line-color", outline],
    ["parcel-chosen", "line-color", outline],
  ];
}

function ignTiles(layer: string, format: string): string {
  return (
    "https://data.geopf.fr/wmts?SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&STYLE=normal&TILEMATRIXSET=PM" +
    `&LAYER=${layer}&FORMAT=image/${format}&TILEMATRIX={z}&TILEROW={y}&TILECOL={x}`
  );
}

const credit = (text: string) => `<a href="https://www.ign.fr/" target="_blank" rel="noopener">© IGN, ${text}</a>`;
const CADASTRE_CREDIT = '<a href="https://cadastre.data.gouv.fr/" target="_blank" rel="noopener">DGFiP, cadastre</a>';

const ofKind = (kind: string): ExpressionSpecification => ["==", ["get", "kind"], kind];
const lotColor: DataDrivenPropertyValueSpecification<string> = ["get", "color"];

export function styleOf(origin: string): StyleSpecification {
  const own = (layer: string, minzoom: number) => ({
    type: "vector" as const,
    tiles: [`${origin}${TILES}${layer}/{z}/{x}/{y}.mvt`],
    minzoom,
    maxzoom: 18,
  });
  return {
    version: 8,
    sources: {
      [PLAN]: {
        type: "raster",
        tiles: [ignTiles("GEOGRAPHICALGRIDSYSTEMS.PLANIGNV2", "png")],
        tileSize: 256,
        maxzoom: 19,
        attribution: credit("Plan IGN"),
      },
      [ORTHO]: {
        type: "raster",
        tiles: [ignTiles("ORTHOIMAGERY.ORTHOPHOTOS", "jpeg")],
        tileSize: 256,
        maxzoom: 19,
        attribution: credit("BD ORTHO"),
      },
      [PARCELS]: { ...own("parcels", 14), attribution: CADASTRE_CREDIT },
      [BUILDINGS]: own("buildings", 15),
      [ZONES]: { ...own("zones", 13), attribution: GPU_CREDIT },
      [SALES]: { ...own("sales", 14), attribution: DVF_CREDIT },
      [FEATURES]: { type: "geojson", data: { type: "FeatureCollection", features: [] } },
    },
    layers: [
      { id: "ground", type: "background", paint: { "background-color": GROUND.light } },
      { id: PLAN, type: "raster", source: PLAN, layout: { visibility: "none" } },
      { id: ORTHO, type: "raster", source: ORTHO, layout: { visibility: "none" } },
      {
        id: "communes",
        type: "fill",
        source: PARCELS,
        "source-layer": "communes",
        paint: { "fill-pattern": HATCH },
      },
      {
        id: "parcel-fill",
        type: "fill",
        source: PARCELS,
        "source-layer": "parcels",
        paint: { "fill-color": PARCEL.light },
      },
      {
        id: "parcel-hit", // for clicks, with every background
        type: "fill",
        source: PARCELS,
        "source-layer": "parcels",
        paint: { "fill-opacity": 0 },
      },
      {
        id: "building-fill",
        type: "fill",
        source: BUILDINGS,
        "source-layer": "buildings",
        paint: { "fill-color": HOUSE.light, "fill-outline-color": INK.light },
      },
      ...SURFACES,
      {
        id: "unit",
        type: "fill",
        source: FEATURES,
        filter: ofKind("unit"),
        paint: { "fill-color": "#25805a", "fill-opacity": 0.22 },
      },
      {
        id: "lot",
        type: "fill",
        source: FEATURES,
        filter: ofKind("lot"),
        paint: { "fill-color": lotColor, "fill-opacity": 0.55 },
      },
      {
        id: "parcel-line",
        type: "line",
        source: PARCELS,
        "source-layer": "parcels",
        paint: { "line-color": INK.light, "line-width": ["interpolate", ["linear"], ["zoom"], 15, 0.4, 19, 1.4] },
      },
      {
        id: "parcel-chosen",
        type: "line",
        source: PARCELS,
        "source-layer": "parcels",
        filter: chosen([]),
        paint: { "line-color": "#0f5539", "line-width": 3 },
      },
      {
        id: "lot-line",
        type: "line",
        source: FEATURES,
        filter: ofKind("lot"),
        paint: { "line-color": lotColor, "line-width": 2 },
      },
      {
        id: "way",
        type: "fill",
        source: FEATURES,
        filter: ofKind("way"),
        paint: { "fill-color": "#b9b2a3", "fill-opacity": 0.8, "fill-outline-color": "#6f6a5e" },
      },
      {
        id: "building",
        type: "fill",
        source: FEATURES,
        filter: ofKind("building"),
        paint: { "fill-color": "#5b6168", "fill-opacity": 0.75, "fill-outline-color": "#2c3136" },
      },
      {
        id: "unit-line",
        type: "line",
        source: FEATURES,
        filter: ofKind("unit"),
        paint: { "line-color": "#0f5539", "line-width": 2.5 },
      },
      {
        id: "envelope",
        type: "line",
        source: FEATURES,
        filter: ofKind("envelope"),
        paint: { "line-color": "#10130f", "line-width": 1.25, "line-dasharray": [3, 2] },
      },
      {
        id: "frontage",
        type: "line",
        source: FEATURES,
        filter: ofKind("frontage"),
        paint: { "line-color": "#d55e00", "line-width": 4, "line-dasharray": [1.5, 1] },
      },
      {
        id: "parcel-number",
        type: "symbol",
        source: PARCELS,
        "source-layer": "numbers",
        minzoom: 17,
        layout: { "text-field": ["get", "number"], "text-size": 12, "text-padding": 4 },
        paint: { "text-color": INK.light, "text-halo-color": PARCEL.light, "text-halo-width": 1.5 },
      },
      ...LABELS,
      {
        id: "point",
        type: "circle",
        source: FEATURES,
        filter: ["in", ["get", "kind"], ["literal", ["address", "alternative"]]],
        paint: {
          "circle-radius": ["match", ["get", "kind"], "address", 7, 5],
          "circle-color": ["match", ["get", "kind"], "address", "#c02626", "#8a8f94"],
          "circle-stroke-color": "#ffffff",
          "circle-stroke-width": 2,
        },
      },
    ],
  };
}

/** The parcels of the request. */
export function chosen(ids: readonly string[]): ExpressionSpecification {
  return ["in", ["get", "id"], ["literal", [...ids]]];
}
