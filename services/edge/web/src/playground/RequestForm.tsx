// The form of a body: each field reads and writes a member of the JSON text.
import { Checkbox, Fieldset, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { useDescription } from "../api/description";
import { BLOCKS, DEFAULT_BLOCKS } from "../api/types";
import { objectIn, schemasOf } from "../docs/reference/description";
import { useText } from "../shell/language";
import { Notice } from "../shell/states";
import { AddressInput } from "./AddressInput";
import { asObject, type Body, type JsonObject, textOf, withMember, writeBody } from "./body";
import styles from "./playground.module.css";
import { bodyOf, type Call, takesParcels } from "./requests";
import { SchemaFields } from "./SchemaFields";
import { texts } from "./texts";

const ADDRESS_FIELDS = ["number", "street", "postcode", "city"] as const;
const MAX_QUESTION = 2000;

export function RequestForm({
  name: task,
  call,
  body,
  onChange,
  apiKey,
}: {
  name: string;
  call: Call;
  body: Body;
  onChange: (text: string) => void;
  apiKey: string;
}) {
  const t = useText(texts);
  const { data: description } = useDescription();
  if (!body.ok) return <Notice tone="warning">{t.formWaits}</Notice>;
  if (typeof body.value !== "object" || body.value === null || Array.isArray(body.value)) {
    return <Notice tone="warning">{t.formObject}</Notice>;
  }
  const object = asObject(body.value);
  const set = (name: string, value: unknown) => onChange(writeBody(withMember(object, name, value)));
  if (task === "resolve") return <AddressFields value={object} onChange={set} withCode apiKey={apiKey} />;
  if (!takesParcels(task)) {
    const schemas = schemasOf(description ?? {});
    const schema = schemas[objectIn(bodyOf(call)?.schema ?? {}) ?? ""];
    return (
      <div className={styles.fields}>
        {schema === undefined ? t.inRawJson : <SchemaFields {...{ schema, schemas }} values={object} onChange={set} />}
      </div>
    );
  }
  const address = asObject(object.address);
  return (
    <div className={styles.fields}>
      <Fieldset legend={t.address} className={styles.address}>
        <AddressFields
          value={address}
          onChange={(name, value) => {
            const { parcel_ids: _, ...others } = object; // they would decide before the address
            onChange(writeBody(withMember(others, "address", withMember(address, name, value))));
          }}
          withCode={false}
          apiKey={apiKey}
        />
      </Fieldset>
      <TagsInput
        label={t.parcelIds}
        description={t.parcelIdsHint}
        value={parcelIds(object.parcel_ids)}
        onChange={(ids) => set("parcel_ids", ids.length > 0 ? ids : undefined)}
        splitChars={[",", ";", " "]}
        placeholder="75118000AB0012"
      />
      {task === "geojson" ? (
        <Include value={object.include} onChange={(include) => set("include", include)} />
      ) : (
        <Textarea
          label={t.question}
          description={t.questionHint}
          value={textOf(object.question)}
          maxLength={MAX_QUESTION}
          autosize
          minRows={2}
          onChange={(event) => set("question", event.currentTarget.value)}
        />
      )}
    </div>
  );
}

function AddressFields({
  value,
  onChange,
  withCode,
  apiKey,
}: {
  value: JsonObject;
  onChange: (name: string, value: string) => void;
  withCode: boolean;
  apiKey: string;
}) {
  const t = useText(texts);
  const labels: Record<string, string> = {
    number: t.number,
    street: t.street,
    postcode: t.postcode,
    city: t.city,
    city_code: t.cityCode,
  };
  const names = withCode ? [...ADDRESS_FIELDS, "city_code"] : ADDRESS_FIELDS;
  const hasValues = names.some((name) => textOf(value[name]) !== "");
  const [isOpen, setOpen] = useState(hasValues);
  useEffect(() => {
    if (hasValues) setOpen(true); // an example with separate fields shows them
  }, [hasValues]);
  return (
    <div className={styles.addressFields}>
      <AddressInput
        className={styles.field_label}
        label={t.addressLabel}
        value={textOf(value.label)}
        onChange={(label) => onChange("label", label)}
        apiKey={apiKey}
      />
      <details className={styles.separate} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t.separateFields}</summary>
        <div className={styles.addressFields}>
          {names.map((name) => (
            <TextInput
              key={name}
              className={styles[`field_${name}`]}
              label={labels[name]}
              value={textOf(value[name])}
              onChange={(event) => onChange(name, event.currentTarget.value)}
              autoComplete="off"
            />
          ))}
        </div>
      </details>
    </div>
  );
}

/** Without `include` the answer has every block but risks; with an empty list, none. */
function Include({ value, onChange }: { value: unknown; onChange: (include: string[] | undefined) => void }) {
  const t = useText(texts);
  const isDefault = value === undefined || value === null;
  const chosen: string[] = isDefault ? [...DEFAULT_BLOCKS] : Array.isArray(value) ? value.map(String) : [];
  return (
    <div className={styles.include}>
      <Checkbox.Group
        label={t.include}
        description={t.includeHint}
        value={chosen}
        onChange={(blocks) => onChange(BLOCKS.filter((name) => blocks.includes(name)))}
      >
        <div className={styles.choices}>
          {BLOCKS.map((name) => (
            <Checkbox key={name} value={name} label={<code>{name}</code>} />
          ))}
        </div>
      </Checkbox.Group>
      <Switch
        size="sm"
        label={t.allBlocks}
        checked={isDefault}
        onChange={(event) => onChange(event.currentTarget.checked ? undefined : [...DEFAULT_BLOCKS])}
      />
    </div>
  );
}

function parcelIds(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
