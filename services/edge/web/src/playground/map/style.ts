// What the map draws, from the ground up: background of IGN, cadastre from our own tiles, features of the answer.
import type { DataDrivenPropertyValueSpecification, ExpressionSpecification, StyleSpecification } from "maplibre-gl";
import {
  DVF_CREDIT,
  GPU_CREDIT,
  HATCH,
  LABELS,
  ofTiles,
  type Paint,
  type PaintOf,
  paintOfThemes,
  RESTRICTIONS,
  RISK_CREDIT,
  RISKS,
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

/** A layer of the answer's features of one kind. */
const ofAnswer = <Kind extends "fill" | "line">(id: string, kind: string, type: Kind, paint: PaintOf<Kind>) => ({
  id,
  type,
  source: FEATURES,
  filter: ["==", ["get", "kind"], kind] satisfies ExpressionSpecification,
  paint,
});
const lotColor: DataDrivenPropertyValueSpecification<string> = ["get", "color"];

/** `demoCredit` replaces the credits of our own tiles if they are those of the demo commune. */
export function styleOf(origin: string, demoCredit: string | null): StyleSpecification {
  const own = (layer: string, minzoom: number, attribution = "") => ({
    type: "vector" as const,
    tiles: [`${origin}${TILES}${layer}/{z}/{x}/{y}.mvt`],
    minzoom,
    maxzoom: 18,
    attribution: demoCredit ?? attribution,
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
      [PARCELS]: own("parcels", 14, CADASTRE_CREDIT),
      [BUILDINGS]: own("buildings", 15),
      [ZONES]: own("zones", 13, GPU_CREDIT),
      [RISKS]: own("risks", 13, RISK_CREDIT),
      [RESTRICTIONS]: own("restrictions", 14, GPU_CREDIT),
      [SALES]: own("sales", 14, DVF_CREDIT),
      [FEATURES]: { type: "geojson", data: { type: "FeatureCollection", features: [] } },
    },
    layers: [
      { id: "ground", type: "background", paint: { "background-color": GROUND.light } },
      { id: PLAN, type: "raster", source: PLAN, layout: { visibility: "none" } },
      { id: ORTHO, type: "raster", source: ORTHO, layout: { visibility: "none" } },
      ofTiles("communes", "fill", PARCELS, "communes", { "fill-pattern": HATCH }),
      ofTiles("parcel-fill", "fill", PARCELS, "parcels", { "fill-color": PARCEL.light }),
      ofTiles("parcel-hit", "fill", PARCELS, "parcels", { "fill-opacity": 0 }), // for clicks, with every background
      ofTiles("building-fill", "fill", BUILDINGS, "buildings", {}),
      ...SURFACES,
      ofAnswer("unit", "unit", "fill", { "fill-color": "#25805a", "fill-opacity": 0.22 }),
      ofAnswer("lot", "lot", "fill", { "fill-color": lotColor, "fill-opacity": 0.55 }),
      ofTiles("parcel-line", "line", PARCELS, "parcels", {
        "line-width": ["interpolate", ["linear"], ["zoom"], 15, 0.4, 19, 1.4],
      }),
      { ...ofTiles("parcel-chosen", "line", PARCELS, "parcels", { "line-width": 3 }), filter: chosen([]) },
      ofAnswer("lot-line", "lot", "line", { "line-color": lotColor, "line-width": 2 }),
      ofAnswer("way", "way", "fill", { "fill-color": "#b9b2a3", "fill-opacity": 0.8, "fill-outline-color": "#6f6a5e" }),
      ofAnswer("building", "building", "fill", {
        "fill-color": "#5b6168",
        "fill-opacity": 0.75,
        "fill-outline-color": "#2c3136",
      }),
      ofAnswer("unit-line", "unit", "line", { "line-width": 2.5 }),
      ofAnswer("envelope", "envelope", "line", {
        "line-color": "#10130f",
        "line-width": 1.25,
        "line-dasharray": [3, 2],
      }),
      ofAnswer("frontage", "frontage", "line", {
        "line-color": "#d55e00",
        "line-width": 4,
        "line-dasharray": [1.5, 1],
      }),
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
