// The plan of the dossier: places in millimetres on paper, at a scale of a surveyor's rule, with north at the top.
import type { Geometry, Position } from "geojson";
import type { Bounds } from "../map/drawing";
import type { Place } from "../map/paths";

export const WIDTH_MM = 102;
export const HEIGHT_MM = 68;
/** Room around the land for the neighbours' numbers and the lengths of the sides. */
const CLEAR_MM = 9;
/** As the drawing of a division has them. Larger land takes the next multiple of 10,000. */
const SCALES = [50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10_000, 20_000, 25_000];
const LONGEST_BAR_MM = 25;
/** A corner that is nearer than this to the line between its neighbours is no end of a side. */
const STRAIGHT_M = 0.1;

export interface Frame {
  /** 500 is 1/500. */
  scale: number;
  /** Millimetres from the left and from the top. */
  place: Place;
  /** What the paper shows. */
  shown: Bounds;
  bar: { metres: number; mm: number };
}

/** The greatest scale that has room for these bounds, in the middle of the paper. */
export function frameOf([west, south, east, north]: Bounds): Frame {
  const middle = [(west + east) / 2, (south + north) / 2] as const;
  const [perLongitude, perLatitude] = metresPerDegree(middle[1]);
  const least = Math.max(
    ((east - west) * perLongitude * 1000) / (WIDTH_MM - 2 * CLEAR_MM),
    ((north - south) * perLatitude * 1000) / (HEIGHT_MM - 2 * CLEAR_MM),
  );
  const scale = SCALES.find((each) => each >= least) ?? Math.ceil(least / 10_000) * 10_000;
  const mm = 1000 / scale;
  const half = [(WIDTH_MM / 2 / mm) * (1 / perLongitude), (HEIGHT_MM / 2 / mm) * (1 / perLatitude)] as const;
  return {
    scale,
    place: ([longitude = 0, latitude = 0]) => [
      WIDTH_MM / 2 + (longitude - middle[0]) * perLongitude * mm,
      HEIGHT_MM / 2 - (latitude - middle[1]) * perLatitude * mm,
    ],
    shown: [middle[0] - half[0], middle[1] - half[1], middle[0] + half[0], middle[1] + half[1]],
    bar: barOf(scale),
  };
}

function barOf(scale: number): Frame["bar"] {
  const longest = (LONGEST_BAR_MM * scale) / 1000;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = ([5, 2, 1].find((each) => each * power <= longest) ?? 1) * power;
  return { metres, mm: (metres * 1000) / scale };
}

/** Of the WGS 84 ellipsoid, by its series. */
function metresPerDegree(latitude: number): [longitude: number, latitude: number] {
  const angle = (latitude * Math.PI) / 180;
  return [
    111_412.84 * Math.cos(angle) - 93.5 * Math.cos(3 * angle) + 0.118 * Math.cos(5 * angle),
    111_132.92 - 559.82 * Math.cos(2 * angle) + 1.175 * Math.cos(4 * angle),
  ];
}

/** The outer rings of a surface. */
export function outlinesOf(geometry: Geometry): Position[][] {
  if (geometry.type === "Polygon") return geometry.coordinates.slice(0, 1);
  if (geometry.type === "MultiPolygon") return geometry.coordinates.map((polygon) => polygon[0] ?? []);
  return [];
}

/** The lengths of the straight sides of a closed ring, in metres. */
export function sideLengths(ring: readonly Position[]): number[] {
  const [perLongitude, perLatitude] = metresPerDegree(ring[0]?.[1] ?? 0);
  const points = ring.slice(0, -1).map(([longitude = 0, latitude = 0]): Point => {
    return { x: longitude * perLongitude, y: latitude * perLatitude };
  });
  const [first] = points;
  if (first === undefined) return [];
  const far = points.reduce(
    (best, point, index) => (apart(first, point) > apart(first, points[best] ?? first) ? index : best),
    0,
  );
  const start = corners([...points.slice(far), ...points.slice(0, far + 1)]);
  return start.slice(1).map((point, index) => apart(start[index] ?? point, point));
}

interface Point {
  x: number;
  y: number;
}

/** The line without corners that are hardly corners (Douglas and Peucker). */
function corners(line: readonly Point[]): Point[] {
  const [from] = line;
  const to = line.at(-1);
  if (from === undefined || to === undefined || line.length < 3) return [...line];
  const far = line.map((point) => offLine(from, to, point));
  const most = Math.max(...far);
  if (most < STRAIGHT_M) return [from, to];
  const at = far.indexOf(most);
  return [...corners(line.slice(0, at + 1)).slice(0, -1), ...corners(line.slice(at))];
}

function offLine(from: Point, to: Point, point: Point): number {
  const length = apart(from, to);
  if (length === 0) return apart(from, point);
  return Math.abs((to.x - from.x) * (from.y - point.y) - (from.x - point.x) * (to.y - from.y)) / length;
}

function apart(from: Point, to: Point): number {
  return Math.hypot(to.x - from.x, to.y - from.y);
}
