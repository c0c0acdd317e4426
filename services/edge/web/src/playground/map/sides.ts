// Where the length of each side of a lot stands on the map. An answer gives the sides in order, without their place.
import type { Position } from "geojson";

export interface SideLabel {
  at: [number, number];
  lengthM: number;
  /** Clockwise, as CSS turns; the text can be read from below or from the right. */
  degrees: number;
  /** Into the lot, on the screen: right and down, of length 1. */
  inward: [number, number];
}

interface Point {
  x: number;
  y: number;
}

const DEGREE_M = 111_320;
const UPRIGHT = 89;

/**
 * Finds the corner of the ring at which the sides begin: there, the ends of most sides are corners. Sides of holes come
 * after those of the outline and have no label.
 */
export function sideLabels(ring: readonly Position[], lengthsM: readonly number[]): SideLabel[] {
  const [origin] = ring;
  if (origin === undefined || ring.length < 4 || lengthsM.length === 0) return [];
  const eastM = DEGREE_M * Math.cos(((origin[1] ?? 0) * Math.PI) / 180);
  const toPoint = ([lon = 0, lat = 0]: Position): Point => ({
    x: (lon - (origin[0] ?? 0)) * eastM,
    y: (lat - (origin[1] ?? 0)) * DEGREE_M,
  });
  const corners = ring.slice(0, -1).map(toPoint);
  const best = starts(corners)
    .map((points) => ({ points, error: misfit(points, lengthsM) }))
    .sort((left, right) => left.error - right.error)[0];
  if (best === undefined) return [];
  const turnsLeft = signedArea(best.points) > 0;
  const total = perimeter(best.points);
  const labels: SideLabel[] = [];
  let begin = 0;
  for (const lengthM of lengthsM) {
    const end = begin + lengthM;
    if (end > total * 1.01 + 0.1) break; // a hole
    const [from, middle, to] = [begin, (begin + end) / 2, end].map((along) => pointAt(best.points, along));
    if (from && middle && to) labels.push(labelOf(from, middle, to, lengthM, turnsLeft));
    begin = end;
  }
  return labels;

  function labelOf(from: Point, middle: Point, to: Point, lengthM: number, turnsLeft: boolean): SideLabel {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const side = turnsLeft ? 1 : -1;
    const raw = (-Math.atan2(dy, dx) * 180) / Math.PI;
    return {
      at: [(origin?.[0] ?? 0) + middle.x / eastM, (origin?.[1] ?? 0) + middle.y / DEGREE_M],
      lengthM,
      degrees: ((((raw + UPRIGHT) % 180) + 180) % 180) - UPRIGHT,
      inward: [(-dy / length) * side, (-dx / length) * side],
    };
  }
}

/** The ring from each of its corners, in both directions. */
function starts(corners: readonly Point[]): Point[][] {
  const reversed = [...corners].reverse();
  return corners.flatMap((_, index) => [
    [...corners.slice(index), ...corners.slice(0, index)],
    [...reversed.slice(index), ...reversed.slice(0, index)],
  ]);
}

/** The sum of the distances along the ring from the end of each side to the nearest corner. */
function misfit(points: readonly Point[], lengthsM: readonly number[]): number {
  const places = distances(points);
  const total = perimeter(points);
  let along = 0;
  let error = 0;
  for (const length of lengthsM) {
    along += length;
    if (along > total * 1.01 + 0.1) break;
    error += Math.min(...places.map((place) => Math.abs(place - along)), Math.abs(total - along));
  }
  return error;
}

/** How far each corner is from the first one, along the ring. */
function distances(points: readonly Point[]): number[] {
  let sum = 0;
  return points.map((point, index) => {
    const before = points[index - 1];
    if (before !== undefined) sum += Math.hypot(point.x - before.x, point.y - before.y);
    return sum;
  });
}

function perimeter(points: readonly Point[]): number {
  const [first] = points;
  return first === undefined ? 0 : (distances([...points, first]).at(-1) ?? 0);
}

function pointAt(points: readonly Point[], along: number): Point | null {
  let rest = along;
  for (const [index, from] of points.entries()) {
    const to = points[(index + 1) % points.length] ?? from;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (rest <= length && length > 0) {
      return { x: from.x + ((to.x - from.x) * rest) / length, y: from.y + ((to.y - from.y) * rest) / length };
    }
    rest -= length;
  }
  return points[0] ?? null;
}

function signedArea(points: readonly Point[]): number {
  return points.reduce((sum, { x, y }, index) => {
    const next = points[(index + 1) % points.length] ?? { x, y };
    return sum + x * next.y - next.x * y;
  }, 0);
}
