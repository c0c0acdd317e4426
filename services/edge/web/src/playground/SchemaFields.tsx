// Fields for the members of a body or the parameters of a query, drawn from their schemas in the API description.
import { NativeSelect, Switch, TagsInput, TextInput } from "@mantine/core";
import { limitsOf, objectIn, type Schema, type Schemas } from "../docs/reference/description";
import { Inline } from "../docs/reference/Prose";
import { useText } from "../shell/language";
import { asObject, type JsonObject, textOf, withMember } from "./body";
import styles from "./playground.module.css";
import { texts } from "./texts";

const DATE = "^\\d{4}-\\d{2}-\\d{2}$";

export function SchemaFields({
  schema: { properties = {}, required = [] },
  schemas,
  values,
  onChange,
}: {
  schema: Schema;
  schemas: Schemas;
  values: JsonObject;
  onChange: (name: string, value: unknown) => void;
}) {
  return Object.entries(properties).map(([name, schema]) => (
    <SchemaField
      key={name}
      name={name}
      schema={schema}
      isRequired={required.includes(name)}
      schemas={schemas}
      value={values[name]}
      onChange={(value) => onChange(name, value)}
    />
  ));
}

function SchemaField({
  name,
  schema,
  isRequired,
  schemas,
  value,
  onChange,
}: {
  name: string;
  schema: Schema;
  isRequired: boolean;
  schemas: Schemas;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const t = useText(texts);
  const { type, items, enum: choices, pattern, minimum, maximum, examples, default: fallback } = limitsOf(schema);
  const object = schemas[objectIn(schema) ?? ""];
  const description = <Inline text={schema.description ?? ""} />;
  const field = { label: <code>{name}</code>, description, required: isRequired };
  const placeholder = String(examples?.[0] ?? fallback ?? "");
  if (object?.properties !== undefined && object.properties.coordinates === undefined) {
    return (
      <details className={styles.separate} open={value !== undefined}>
        <summary>
          {field.label}: {description}
        </summary>
        <div className={styles.nested}>
          <SchemaFields
            schema={value === undefined ? { ...object, required: [] } : object}
            schemas={schemas}
            values={asObject(value)}
            onChange={(member, next) => onChange(withMember(asObject(value), member, next))}
          />
        </div>
      </details>
    );
  }
  if (items?.type === "string") {
    return (
      <TagsInput
        {...field}
        data={choices?.map(String) ?? []}
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={(tags) => onChange(tags.length > 0 ? tags : undefined)}
        splitChars={[",", ";", " "]}
        placeholder={placeholder}
      />
    );
  }
  if (object !== undefined || type === "array" || type === "object") {
    return (
      <p className={styles.hint}>
        {field.label}: {description} {t.inRawJson}
      </p>
    );
  }
  if (choices !== undefined) {
    return (
      <NativeSelect
        {...field}
        data={["", ...choices.map(String)]}
        value={textOf(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  if (type === "number" || type === "integer") {
    return (
      <TextInput
        {...field}
        type="number"
        step="any"
        min={minimum}
        max={maximum}
        value={typeof value === "number" ? value : textOf(value)}
        onChange={({ currentTarget: { valueAsNumber: next } }) => onChange(Number.isNaN(next) ? undefined : next)}
        placeholder={placeholder}
      />
    );
  }
  if (type === "boolean") {
    return (
      <Switch
        {...field}
        checked={String(value) === "true"}
        onChange={(event) => onChange(event.currentTarget.checked || undefined)}
      />
    );
  }
  return (
    <TextInput
      {...field}
      type={pattern === DATE ? "date" : "text"}
      value={textOf(value)}
      onChange={(event) => onChange(event.currentTarget.value)}
      placeholder={placeholder}
      autoComplete="off"
    />
  );
}
