// A search of parcels in words: where, and what they must have.
import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import type { Position } from "geojson";
import { type FormEvent, useState } from "react";
import type { Address } from "../api/types";
import { areaOf } from "../playground/map/drawing";
import { useText } from "../shell/language";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";

type Where = "drawn" | "around" | "neighbours";
const CORNERS = 3;
const DISTANCE_M = 500;
const MAX_DISTANCE_M = 1000;

export function SearchForm({
  place,
  parcel,
  corners,
  isDrawing,
  onDraw,
  onClear,
  onSearch,
  isPending,
}: {
  /** The address or the commune that was found. */
  place: Address | null;
  /** A parcel of the land. */
  parcel: string | undefined;
  corners: readonly Position[];
  isDrawing: boolean;
  onDraw: (isDrawing: boolean) => void;
  onClear: () => void;
  onSearch: (body: object) => void;
  isPending: boolean;
}) {
  const t = useText(terrainTexts);
  const [chosen, setChosen] = useState<Where | null>(null);
  const [distance, setDistance] = useState(String(DISTANCE_M));
  const [filters, setFilters] = useState<Record<string, unknown>>({});
  const set = (name: string, value: unknown) =>
    setFilters(({ [name]: _, ...others }) => (value === "" || value === false ? others : { ...others, [name]: value }));
  const { latitude: lat = null, longitude: lon = null } = place ?? {};
  const possible: Partial<Record<Where, object>> = {
    ...(corners.length >= CORNERS && { drawn: { geometry: areaOf(corners) } }),
    ...(lat !== null && lon !== null && { around: { around: { lat, lon, distance_m: Number(distance) } } }),
    ...(lat === null && parcel && { around: { around: { parcel_id: parcel, distance_m: Number(distance) } } }),
    ...(parcel && { neighbours: { neighbours_of: parcel } }),
  };
  const names = Object.keys(possible) as Where[];
  const where = chosen !== null && names.includes(chosen) ? chosen : names[0];
  const area = where && possible[where];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (area) onSearch({ ...area, ...(Object.keys(filters).length > 0 && { filters }) });
  };
  const zones = Object.entries(t.zoneNames);
  return (
    <form onSubmit={submit} className={styles.form}>
      <div className={styles.line}>
        <Button variant="default" onClick={() => onDraw(!isDrawing)} aria-pressed={isDrawing}>
          {isDrawing ? t.endDrawing : t.draw}
        </Button>
        {corners.length > 0 && (
          <Button variant="subtle" onClick={onClear}>
            {t.clearDrawing}
          </Button>
        )}
        <span role="status" className={styles.hint}>
          {isDrawing ? t.drawing(corners.length) : ""}
        </span>
      </div>
      <div className={styles.chips}>
        <NativeSelect
          label={t.where}
          value={where ?? ""}
          onChange={(event) => setChosen(event.currentTarget.value as Where)}
          data={names.map((value) => ({ value, label: t.places[value] }))}
          disabled={names.length === 0}
        />
        {where === "around" && (
          <TextInput
            type="number"
            label={t.distance}
            value={distance}
            min={1}
            max={MAX_DISTANCE_M}
            onChange={(event) => setDistance(event.currentTarget.value)}
          />
        )}
        {(["min_area_m2", "max_area_m2"] as const).map((name) => (
          <TextInput
            key={name}
            type="number"
            label={name === "min_area_m2" ? t.least : t.most}
            min={0}
            onChange={({ currentTarget: { valueAsNumber: area } }) => set(name, Number.isNaN(area) ? "" : area)}
          />
        ))}
        <NativeSelect
          label={t.zones}
          onChange={(event) => set("zone_types", event.currentTarget.value && [event.currentTarget.value])}
          data={[{ value: "", label: t.anyZone }, ...zones.map(([value, label]) => ({ value, label }))]}
        />
        <TextInput type="date" label={t.soldSince} onChange={(event) => set("sold_since", event.currentTarget.value)} />
        <TextInput
          type="date"
          label={t.permitSince}
          onChange={(event) => set("permit_since", event.currentTarget.value)}
        />
        <Checkbox label={t.unbuilt} onChange={(event) => set("unbuilt", event.currentTarget.checked)} />
        <Button type="submit" disabled={isPending || area === undefined}>
          {t.searchNow}
        </Button>
      </div>
    </form>
  );
}
