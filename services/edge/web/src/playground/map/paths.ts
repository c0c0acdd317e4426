// The outline of a geometry as a path of SVG.
import type { Geometry, Position } from "geojson";

/** The place of a position in the picture. */
export type Place = (position: Position) => [x: number, y: number];

export function pathOf(geometry: Geometry, place: Place): string {
  const point = (position: Position) =>
    place(position)
      .map((each) => each.toFixed(2))
      .join(" ");
  return linesOf(geometry)
    .map((line) => `M${line.map(point).join("L")}`)
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
