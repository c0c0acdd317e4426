// What is around the land: parcels, their numbers and buildings of our own tiles, which cost no unit.
import { VectorTile } from "@mapbox/vector-tile";
import { useQuery } from "@tanstack/react-query";
import type { Feature } from "geojson";
import { PbfReader } from "pbf";
import { send } from "../../api/client";
import type { Bounds } from "../map/drawing";

export interface Tile {
  bounds: Bounds;
  parcels: Feature[];
  buildings: Feature[];
  /** Points with the number of their parcel. */
  numbers: Feature[];
}

/** `failed` also stands for a request without a key. */
export type Surroundings = { state: "loading" | "failed" } | { state: "shown"; tiles: readonly Tile[] };

interface Address {
  z: number;
  x: number;
  y: number;
}

const ZOOMS = [18, 17, 16, 15, 14];
const BUILDINGS_FROM = 15;
const MOST_TILES = 4;

export function useSurroundings(shown: Bounds, apiKey: string): Surroundings {
  const addresses = tilesOf(shown);
  const { data, isPending, isError } = useQuery({
    queryKey: ["surroundings", apiKey, addresses],
    queryFn: ({ signal }) => Promise.all(addresses.map((address) => tileAt(address, apiKey, signal))),
    enabled: apiKey !== "" && addresses.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0, // its name holds the key
    retry: false,
    refetchInterval: false,
  });
  if (data !== undefined) return { state: "shown", tiles: data };
  return { state: isPending && !isError && apiKey !== "" && addresses.length > 0 ? "loading" : "failed" };
}

/** At the greatest zoom with few tiles; none for land that is larger than they are. */
function tilesOf([west, south, east, north]: Bounds): Address[] {
  for (const z of ZOOMS) {
    const [left, top] = [column(west, z), row(north, z)].map(Math.floor) as [number, number];
    const [right, bottom] = [column(east, z), row(south, z)].map(Math.floor) as [number, number];
    if ((right - left + 1) * (bottom - top + 1) > MOST_TILES) continue;
    const rows = Array.from({ length: bottom - top + 1 }, (_, index) => top + index);
    return rows.flatMap((y) => Array.from({ length: right - left + 1 }, (_, index) => ({ z, x: left + index, y })));
  }
  return [];
}

async function tileAt({ z, x, y }: Address, apiKey: string, signal: AbortSignal): Promise<Tile> {
  const read = async (layer: string) => {
    const answer = await send(`/api/v1/tiles/${layer}/${z}/${x}/${y}.mvt`, {
      headers: { "x-api-key": apiKey },
      signal,
    });
    const { layers } = new VectorTile(new PbfReader(await answer.arrayBuffer()));
    return (name: string) => {
      const found = layers[name];
      return Array.from({ length: found?.length ?? 0 }, (_, index) => found?.feature(index).toGeoJSON(x, y, z)).filter(
        (each) => each !== undefined,
      );
    };
  };
  const [cadastre, built] = await Promise.all([read("parcels"), z >= BUILDINGS_FROM ? read("buildings") : () => []]);
  return {
    bounds: [longitude(x, z), latitude(y + 1, z), longitude(x + 1, z), latitude(y, z)],
    parcels: cadastre("parcels"),
    numbers: cadastre("numbers"),
    buildings: built("buildings"),
  };
}

function column(degrees: number, z: number): number {
  return ((degrees + 180) / 360) * 2 ** z;
}

function row(degrees: number, z: number): number {
  return ((1 - Math.asinh(Math.tan((degrees * Math.PI) / 180)) / Math.PI) / 2) * 2 ** z;
}

function longitude(x: number, z: number): number {
  return (x / 2 ** z) * 360 - 180;
}

function latitude(y: number, z: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** z))) * 180) / Math.PI;
}
