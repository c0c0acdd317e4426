// The form of a search for parcels: one area, and filters. A polygon is edited as raw JSON.
import { Fieldset, NumberInput, Switch, TagsInput, TextInput } from "@mantine/core";
import { useText } from "../shell/language";
import { asObject, type JsonObject, textOf, withMember } from "./body";
import styles from "./playground.module.css";
import { texts } from "./texts";

const ZONE_TYPES = ["U", "AUc", "AUs", "A", "N", "Ah", "Nh", "Nd"];

export function SearchForm({
  value,
  onChange,
}: {
  value: JsonObject;
  onChange: (name: string, value: unknown) => void;
}) {
  const t = useText(texts);
  const around = asObject(value.around);
  const filters = asObject(value.filters);
  const setPart = (part: string, object: JsonObject) => (name: string, member: unknown) => {
    const next = withMember(object, name, member === "" ? undefined : member);
    onChange(part, Object.keys(next).length > 0 ? next : undefined);
  };
  const setAround = setPart("around", around);
  const setFilter = setPart("filters", filters);
  const numberOf = (member: unknown) => (typeof member === "number" ? member : "");
  return (
    <div className={styles.fields}>
      <Fieldset legend={t.area} className={styles.address}>
        <p className={styles.hint}>{t.areaHint}</p>
        <TextInput
          label={t.neighboursOf}
          value={textOf(value.neighbours_of)}
          onChange={(event) => onChange("neighbours_of", event.currentTarget.value || undefined)}
          placeholder="75118000AB0012"
        />
        <TextInput
          label={t.aroundParcel}
          value={textOf(around.parcel_id)}
          onChange={(event) => setAround("parcel_id", event.currentTarget.value)}
          placeholder="75118000AB0012"
        />
        <NumberInput label={t.aroundLat} value={numberOf(around.lat)} onChange={(lat) => setAround("lat", lat)} />
        <NumberInput label={t.aroundLon} value={numberOf(around.lon)} onChange={(lon) => setAround("lon", lon)} />
        <NumberInput
          label={t.distance}
          value={numberOf(around.distance_m)}
          onChange={(distance) => setAround("distance_m", distance)}
          min={0}
          max={1000}
        />
      </Fieldset>
      <Fieldset legend={t.filters} className={styles.address}>
        <NumberInput
          label={t.minArea}
          value={numberOf(filters.min_area_m2)}
          onChange={(area) => setFilter("min_area_m2", area)}
          min={0}
        />
        <NumberInput
          label={t.maxArea}
          value={numberOf(filters.max_area_m2)}
          onChange={(area) => setFilter("max_area_m2", area)}
          min={0}
        />
        <TagsInput
          label={t.zoneTypes}
          data={ZONE_TYPES}
          value={Array.isArray(filters.zone_types) ? filters.zone_types.map(String) : []}
          onChange={(types) => setFilter("zone_types", types.length > 0 ? types : undefined)}
        />
        <TextInput
          type="date"
          label={t.soldSince}
          value={textOf(filters.sold_since)}
          onChange={(event) => setFilter("sold_since", event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t.permitSince}
          value={textOf(filters.permit_since)}
          onChange={(event) => setFilter("permit_since", event.currentTarget.value)}
        />
        <Switch
          label={t.unbuilt}
          checked={filters.unbuilt === true}
          onChange={(event) => setFilter("unbuilt", event.currentTarget.checked || undefined)}
        />
      </Fieldset>
    </div>
  );
}
