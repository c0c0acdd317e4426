// A plan of an answer as a static picture: its lots, buildings and frontage in metres, with north at the top.
import type { Geometry, Position } from "geojson";
import { useMemo } from "react";
import type { LandUnit, Proposal } from "../api/types";
import { type Bounds, type Drawing, type DrawnKind, drawingOfUnit } from "../playground/map/drawing";
import styles from "./home.module.css";

const METRES_PER_DEGREE = 111_320;
const MARGIN_M = 3;
const KINDS: readonly DrawnKind[] = ["unit", "lot", "way", "envelope", "building", "frontage"];
/** Metres to the east and to the south of the north-west corner. */
type Place = (position: Position) => [x: number, y: number];

export function Plan({ unit, proposal, label }: { unit: LandUnit; proposal: Proposal | null; label: string }) {
  const drawing = useMemo(() => drawingOfUnit(unit, proposal), [unit, proposal]);
  return drawing.bounds === null ? null : <Picture drawing={drawing} bounds={drawing.bounds} label={label} />;
}

function Picture({ drawing, bounds, label }: { drawing: Drawing; bounds: Bounds; label: string }) {
  const [west, south, east, north] = bounds;
  const perLongitude = METRES_PER_DEGREE * Math.cos((((south + north) / 2) * Math.PI) / 180);
  const place: Place = ([longitude = 0, latitude = 0]) => [
    (longitude - west) * perLongitude,
    (north - latitude) * METRES_PER_DEGREE,
  ];
  const [width, height] = place([east, south]);
  const box = [-MARGIN_M, -MARGIN_M, width + 2 * MARGIN_M, height + 2 * MARGIN_M];
  const shown = KINDS.flatMap((kind) => drawing.features.features.filter(({ properties }) => properties.kind === kind));
  return (
    <svg className={styles.plan} viewBox={box.join(" ")} role="img" aria-label={label}>
      {shown.map(({ geometry, properties: { kind, color } }) => {
        const path = pathOf(geometry, place);
        return <path key={`${kind} ${path}`} d={path} data-kind={kind} {...(color && { fill: color })} />;
      })}
      {drawing.labels.map(({ at, text, color }) => {
        const [x, y] = place(at);
        return (
          <g key={text}>
            <circle cx={x} cy={y} r="2" fill="#fff" stroke={color} strokeWidth="0.4" />
            <text x={x} y={y} dy="0.35em" textAnchor="middle" fontSize="2.6" fontWeight="700" fill="#1b1f1d">
              {text}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function pathOf(geometry: Geometry, place: Place): string {
  return linesOf(geometry)
    .map(
      (line) =>
        `M${line
          .map((position) =>
            place(position)
              .map((metres) => metres.toFixed(2))
              .join(" "),
          )
          .join("L")}`,
    )
    .join("");
}

function linesOf(geometry: Geometry): Position[][] {
  switch (geometry.type) {
    case "LineString":
      return [geometry.coordinates];
    case "MultiLineString":
    case "Polygon":
      return geometry.coordinates;
    case "MultiPolygon":
      return geometry.coordinates.flat();
    default:
      return [];
  }
}
