// What the map needs of the request: the key for its tiles, and the parcels that a click adds to it or removes.
import type { Position } from "geojson";
import { createContext } from "react";

export interface ParcelSelection {
  apiKey: string;
  ids: readonly string[];
  /** Undefined if the request takes no parcels. */
  toggle: ((id: string) => void) | undefined;
  /** While the user draws an area: its corners, and what adds one. */
  outline?: Outline | undefined;
}

export interface Outline {
  corners: readonly Position[];
  add: (corner: Position) => void;
}

export const SelectionContext = createContext<ParcelSelection>({ apiKey: "", ids: [], toggle: undefined });
