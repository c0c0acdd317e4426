// The loaded communes: read page by page, searched, and projected for a small map.
import { useQuery } from "@tanstack/react-query";
import type { Position } from "geojson";
import { useState } from "react";
import { request } from "../../api/client";
import type { LoadedCommune, LoadedCommunes } from "../../api/types";
import { folded } from "../../shell/folded";

const PAGE_SIZE = 500;
/** More than France has communes and arrondissements. */
const MAX_PAGES = 80;

export interface Commune extends LoadedCommune {
  /** What the search looks through. */
  searched: string;
  /** The path of its outline, or null. In the plane of the map, where y grows to the south. */
  path: string | null;
  box: Box | null;
}

export interface Box {
  west: number;
  north: number;
  east: number;
  south: number;
}

/** All pages, for this key. `count` tells how many communes have been read so far. */
export function useCommunes(apiKey: string) {
  const [count, setCount] = useState(0);
  const query = useQuery({
    queryKey: ["loaded communes", apiKey],
    queryFn: ({ signal }) => readAll(apiKey, signal, setCount),
    enabled: apiKey !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0, // its name holds the key
    refetchInterval: false,
  });
  return { ...query, count };
}

async function readAll(apiKey: string, signal: AbortSignal, progress: (count: number) => void): Promise<Commune[]> {
  const found: Commune[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query: URLSearchParams = new URLSearchParams({ limit: String(PAGE_SIZE), ...(cursor && { cursor }) });
    const answer: LoadedCommunes = await request(`/api/v1/coverage/communes?${query}`, {
      headers: { "x-api-key": apiKey },
      signal,
    });
    found.push(...answer.communes.map(prepared));
    progress(found.length);
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return found;
}

function prepared(commune: LoadedCommune): Commune {
  const lines = linesOf(commune.geometry);
  const places = lines.map((line) => line.map(project));
  const isOutline = commune.geometry !== null && commune.geometry.type !== "Point";
  return {
    ...commune,
    searched: folded(`${commune.code} ${commune.name ?? ""}`),
    path: isOutline
      ? places.map((line) => `M${line.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}Z`).join("")
      : null,
    box: places.length > 0 ? boxOf(places.flat()) : null,
  };
}

/** The département of a commune, such as 2A or 974. */
export function departmentOf(code: string): string {
  return code.startsWith("97") ? code.slice(0, 3) : code.slice(0, 2);
}

/** The box around these communes; null if none has a place. */
export function around(communes: readonly Commune[]): Box | null {
  const boxes = communes.flatMap(({ box }) => (box ? [box] : []));
  if (boxes.length === 0) return null;
  return boxes.reduce((all, { west, north, east, south }) => ({
    west: Math.min(all.west, west),
    north: Math.min(all.north, north),
    east: Math.max(all.east, east),
    south: Math.max(all.south, south),
  }));
}

const SCALE = 1_000;

/** Web Mercator, in thousandths of a degree of longitude, from the north-west. */
function project([longitude = 0, latitude = 0]: Position): [x: number, y: number] {
  const radians = (latitude * Math.PI) / 180;
  return [longitude * SCALE, (-Math.log(Math.tan(Math.PI / 4 + radians / 2)) * 180 * SCALE) / Math.PI];
}

function boxOf(places: readonly [x: number, y: number][]): Box {
  const box = { west: Infinity, north: Infinity, east: -Infinity, south: -Infinity };
  for (const [x, y] of places) {
    box.west = Math.min(box.west, x);
    box.east = Math.max(box.east, x);
    box.north = Math.min(box.north, y);
    box.south = Math.max(box.south, y);
  }
  return box;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function linesOf(geometry: LoadedCommune["geometry"]): Position[][] {
  const coordinates = geometry?.coordinates as never;
  switch (geometry?.type) {
    case "Point":
      return [[coordinates]];
    case "Polygon":
      return coordinates;
    case "MultiPolygon":
      return (coordinates as Position[][][]).flat();
    default:
      return [];
  }
}
