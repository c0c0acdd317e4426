// The content of the map for an answer: features with their kind, and their bounds.
import type { Feature, FeatureCollection, Geometry, Polygon, Position } from "geojson";
import type {
  Address,
  Geometry as ApiGeometry,
  LandUnit,
  ParcelsAnswer,
  Proposal,
  ResolveAnswer,
} from "../../api/types";

import { type SideLabel, sideLabels } from "./sides";

export type DrawnKind = "unit" | "building" | "frontage" | "lot" | "way" | "envelope" | "address" | "alternative";

export interface DrawnProperties {
  kind: DrawnKind;
  /** For lots. */
  color: string;
}

export type Bounds = [west: number, south: number, east: number, north: number];

export interface Drawing {
  features: FeatureCollection<Geometry, DrawnProperties>;
  labels: { at: [number, number]; text: string; color: string }[];
  /** The lengths of the sides of lots. */
  sides: SideLabel[];
  bounds: Bounds | null;
  /** The demo commune is fictional, so it has no background map. */
  isFictional: boolean;
}

/** Distinct for all types of colour vision and on both backgrounds (palette of Okabe and Ito). */
export const LOT_COLORS: readonly string[] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];
const FICTIONAL = /^00/;
const SAME_LENGTH_M = 0.05;
const SAME_PLACE_DEGREES = 1e-5; // a metre

export function lotColor(index: number): string {
  return LOT_COLORS[index % LOT_COLORS.length] ?? "#0072b2";
}

export function drawingOfAddress(answer: ResolveAnswer): Drawing {
  return buildDrawing(
    [...answer.alternatives.flatMap((each) => pointOf(each, "alternative")), ...pointOf(answer.address, "address")],
    [],
    isFictional([answer.address.city_code]),
  );
}

/** The land, with the lots of an optional proposal. */
export function drawingOfUnit(unit: LandUnit, proposal: Proposal | null): Drawing {
  const features: Feature<Geometry, DrawnProperties>[] = [];
  const labels: Drawing["labels"] = [];
  const add = (drawn: ApiGeometry | null | undefined, kind: DrawnKind, color = "") => {
    const geometry = drawn as Geometry | null | undefined; // the description does not type coordinates by geometry
    if (geometry) features.push({ type: "Feature", geometry, properties: { kind, color } });
    return geometry;
  };
  for (const { geometry } of unit.features) add(geometry, "unit");
  const sides: SideLabel[] = [];
  add(proposal?.shared_way?.geometry, "way");
  proposal?.lots.features.forEach((lot, index) => {
    const color = lotColor(index);
    const geometry = add(lot.geometry, "lot", color);
    const at = geometry ? middle(geometry) : null;
    if (at) labels.push({ at, text: String(lot.id ?? index + 1), color });
    if (geometry?.type === "Polygon") {
      const lengths = lot.properties.sides.map(({ length_m }) => length_m);
      sides.push(...sideLabels(geometry.coordinates[0] ?? [], lengths));
    }
  });
  for (const lot of proposal?.lots.features ?? []) add(lot.properties.buildable_envelope, "envelope");
  for (const lot of proposal?.lots.features ?? []) add(lot.properties.right_of_way, "way");
  for (const { properties } of unit.features) {
    for (const building of properties.buildings?.items ?? []) add(building.geometry, "building");
    add(properties.land?.frontage, "frontage");
    const addresses = properties.address ? [properties.address] : (properties.land?.addresses ?? []);
    for (const address of addresses) features.push(...pointOf(address, "address"));
  }
  const ids = unit.features.flatMap(({ properties }) => properties.parcel_ids);
  return { ...buildDrawing(features, labels, isFictional(ids)), sides: eachOnce(sides) };
}

/** Neighbours have a side in common: the first of two labels at one place. */
function eachOnce(sides: readonly SideLabel[]): SideLabel[] {
  const isSame = (left: SideLabel, right: SideLabel) =>
    Math.abs(left.lengthM - right.lengthM) < SAME_LENGTH_M &&
    Math.hypot(left.at[0] - right.at[0], left.at[1] - right.at[1]) < SAME_PLACE_DEGREES;
  return sides.filter((side, index) => !sides.slice(0, index).some((before) => isSame(before, side)));
}

export function drawingOfParcels(answer: ParcelsAnswer): Drawing {
  const features = answer.features.map(({ geometry }): Feature<Geometry, DrawnProperties> => {
    return { type: "Feature", geometry: geometry as Geometry, properties: { kind: "unit", color: "" } };
  });
  const ids = answer.features.map(({ id }) => id);
  return buildDrawing(features, [], isFictional(ids));
}

/** The corners of an area that is being drawn, and its outline. */
export function drawnOutline(corners: readonly Position[]): Feature<Geometry, DrawnProperties>[] {
  const drawn = (geometry: Geometry, kind: DrawnKind): Feature<Geometry, DrawnProperties> => {
    return { type: "Feature", geometry, properties: { kind, color: "" } };
  };
  const points = corners.map((coordinates) => drawn({ type: "Point", coordinates }, "alternative"));
  return corners.length < 2 ? points : [...points, drawn(areaOf(corners), "envelope")];
}

/** The polygon of these corners. */
export function areaOf(corners: readonly Position[]): Polygon {
  return { type: "Polygon", coordinates: [[...corners, ...corners.slice(0, 1)]] };
}

/** A place without content, such as where the map begins. */
export function drawingOfPlace(drawing: Drawing): Drawing {
  return { ...drawing, features: { type: "FeatureCollection", features: [] }, labels: [], sides: [] };
}

function buildDrawing(
  features: Feature<Geometry, DrawnProperties>[],
  labels: Drawing["labels"],
  fictional: boolean,
): Drawing {
  const main = features.filter(({ properties }) => properties.kind === "unit");
  const bounds = boundsOf((main.length > 0 ? main : features).map(({ geometry }) => geometry));
  return { features: { type: "FeatureCollection", features }, labels, sides: [], bounds, isFictional: fictional };
}

function isFictional(codes: (string | null)[]): boolean {
  return codes.some((code) => code !== null && FICTIONAL.test(code));
}

function pointOf(address: Address, kind: DrawnKind): Feature<Geometry, DrawnProperties>[] {
  const { longitude, latitude } = address;
  if (typeof longitude !== "number" || typeof latitude !== "number") return [];
  const geometry: Geometry = { type: "Point", coordinates: [longitude, latitude] };
  return [{ type: "Feature", geometry, properties: { kind, color: "" } }];
}

function boundsOf(geometries: Geometry[]): Bounds | null {
  const positions = geometries.flatMap(positionsOf);
  if (positions.length === 0) return null;
  const longitudes = positions.map(([longitude = 0]) => longitude);
  const latitudes = positions.map(([, latitude = 0]) => latitude);
  return [Math.min(...longitudes), Math.min(...latitudes), Math.max(...longitudes), Math.max(...latitudes)];
}

function positionsOf(geometry: Geometry): Position[] {
  switch (geometry.type) {
    case "Point":
      return [geometry.coordinates];
    case "MultiPoint":
    case "LineString":
      return geometry.coordinates;
    case "MultiLineString":
    case "Polygon":
      return geometry.coordinates.flat();
    case "MultiPolygon":
      return geometry.coordinates.flat(2);
    case "GeometryCollection":
      return geometry.geometries.flatMap(positionsOf);
  }
}

/** The position of a label: the centre of the largest ring, by the area formula. */
function middle(geometry: Geometry): [number, number] | null {
  const rings =
    geometry.type === "Polygon"
      ? geometry.coordinates.slice(0, 1)
      : geometry.type === "MultiPolygon"
        ? geometry.coordinates.map((polygon) => polygon[0] ?? [])
        : [];
  const centres = rings.map(centreOf).sort((left, right) => right.area - left.area);
  return centres[0]?.at ?? null;
}

function centreOf(ring: Position[]): { area: number; at: [number, number] } {
  const [x0 = 0, y0 = 0] = ring[0] ?? [];
  let twice = 0;
  let x = 0;
  let y = 0;
  for (let index = 0; index + 1 < ring.length; index += 1) {
    const [ax = 0, ay = 0] = ring[index] ?? [];
    const [bx = 0, by = 0] = ring[index + 1] ?? [];
    const cross = (ax - x0) * (by - y0) - (bx - x0) * (ay - y0);
    twice += cross;
    x += (ax + bx - 2 * x0) * cross;
    y += (ay + by - 2 * y0) * cross;
  }
  return twice === 0
    ? { area: 0, at: [x0, y0] }
    : { area: Math.abs(twice), at: [x0 + x / (3 * twice), y0 + y / (3 * twice)] };
}
