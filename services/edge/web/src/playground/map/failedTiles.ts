// The tiles in view that failed. Those that the service refuses for a moment are requested again.
import type { ErrorEvent, Map as MapLibre, Tile } from "maplibre-gl";

/** 429 of a rate limit, 503 of a busy service. */
const TEMPORARY: readonly number[] = [429, 503];
const FIRST_WAIT_MS = 2000;
const MOST_TRIES = 5;

interface Failed {
  source: string;
  tries: number;
}

/** Calls back with the sources of the failed tiles in view. MapLibre itself ignores aborted and absent tiles (404). */
export function followFailedTiles(map: MapLibre, onChange: (sources: readonly string[]) => void): () => void {
  const failed = new Map<Tile, Failed>();
  const timers = new Set<number>();
  const report = () => {
    for (const tile of failed.keys()) if (tile.state === "loaded" || tile.uses === 0) failed.delete(tile);
    onChange([...failed.values()].map(({ source }) => source));
  };
  const fail = (event: ErrorEvent) => {
    const { tile, sourceId: source, error } = event as unknown as Partial<TileError>;
    if (tile === undefined || source === undefined) return;
    const tries = (failed.get(tile)?.tries ?? 0) + 1;
    failed.set(tile, { source, tries });
    report();
    if (tries > MOST_TRIES || !TEMPORARY.includes(error?.status ?? 0)) return;
    const timer = window.setTimeout(
      () => {
        timers.delete(timer);
        if (tile.uses > 0) map.refreshTiles(source, [tile.tileID.canonical]);
      },
      FIRST_WAIT_MS * 2 ** (tries - 1),
    );
    timers.add(timer);
  };
  map.on("error", fail);
  map.on("idle", report);
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

/** What MapLibre adds to the event of a tile. */
interface TileError {
  tile: Tile;
  sourceId: string;
  error: { status?: number };
}
