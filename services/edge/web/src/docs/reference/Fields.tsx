// The members of an object: type, meaning, limits and values. The members of an inner object are shown on demand.
import { type ReactNode, useState } from "react";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { dictionaryAddress, limitsOf, objectIn, type Schema, type Schemas, typeOf } from "./description";
import { Inline } from "./Prose";
import styles from "./reference.module.css";
import { referenceTexts } from "./texts";

/** The start of the pattern of free texts, which tells a reader nothing. */
const NO_CONTROL_CHARACTERS = "^[^\\x00";

export function Fields({ object, schemas }: { object: string; schemas: Schemas }) {
  const t = useText(referenceTexts);
  const { properties = {}, required = [], description } = schemas[object] ?? {};
  const isAnswer = description !== undefined;
  return (
    <ul className={styles.fields}>
      {Object.entries(properties).map(([name, schema]) => (
        <Field
          key={name}
          name={name}
          link={`/api/docs/dictionary#${object}.${name}`}
          schema={schema}
          schemas={schemas}
          presence={
            isAnswer
              ? required.includes(name)
                ? null
                : t.maybeAbsent
              : required.includes(name)
                ? t.required
                : t.optional
          }
        />
      ))}
    </ul>
  );
}

/** One member or parameter. `presence` says whether it is always there. */
export function Field({
  name,
  link,
  schema,
  schemas,
  presence,
}: {
  name: string;
  link: string;
  schema: Schema;
  schemas: Schemas;
  presence: string | null;
}) {
  const t = useText(referenceTexts);
  const inner = objectIn(schema);
  const values = Object.entries(schema["x-values"] ?? {});
  const limits = useLimits(schema, values.length > 0);
  return (
    <li>
      <p className={styles.fieldName}>
        <a href={link} title={t.inDictionary}>
          <code>{name}</code>
        </a>{" "}
        <span className={styles.type}>
          <Type schema={schema} schemas={schemas} />
        </span>
        {presence && <span className={styles.presence}> {presence}</span>}
      </p>
      {schema.description && (
        <p>
          <Inline text={schema.description} />
        </p>
      )}
      {limits.length > 0 && <p className={styles.limits}>{limits}</p>}
      <Meanings title={t.values} of={values} />
      {inner && schemas[inner]?.properties && <Inner object={inner} schemas={schemas} />}
    </li>
  );
}

/** Names with their meanings, shown on demand; nothing if there are none. */
export function Meanings({ title, of }: { title: string; of: readonly [string, string | undefined][] }) {
  if (of.length === 0) return null;
  return (
    <details>
      <summary>
        {title} <span className={styles.presence}>{of.length}</span>
      </summary>
      <dl className={styles.values}>
        {of.map(([name, meaning]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** The members are rendered when they are first opened: some objects contain objects of their own kind. */
export function Inner({ object, schemas }: { object: string; schemas: Schemas }) {
  const t = useText(referenceTexts);
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details onToggle={() => setWasOpened(true)}>
      <summary>
        {t.fields} <code>{object}</code>
      </summary>
      {wasOpened && <Fields object={object} schemas={schemas} />}
    </details>
  );
}

export function Type({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  return typeOf(schema).map(({ text, object }, index) =>
    object === null ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a type do not move
      <a key={index} href={dictionaryAddress(object, schemas)}>
        {text}
      </a>
    ),
  );
}

function useLimits(schema: Schema, hasValues: boolean): ReactNode[] {
  const { limits: t } = useText(referenceTexts);
  const { number } = useFormats();
  const { minimum, maximum, minLength = 0, maxLength, pattern, ...given } = limitsOf(schema);
  const found: ReactNode[] = [];
  if (minimum !== undefined && maximum !== undefined) found.push(t.range(number(minimum), number(maximum)));
  if (maxLength !== undefined) {
    found.push(minLength > 0 ? t.characters(number(minLength), number(maxLength)) : t.length(number(maxLength)));
  }
  if (given.maxItems !== undefined) found.push(t.items(number(given.maxItems)));
  if (given.default !== undefined && given.default !== null) found.push(t.fallback(String(given.default)));
  if (given["x-unit"]) found.push(t.unit(given["x-unit"]));
  if (given.enum && !hasValues) found.push(<code>{given.enum.filter((each) => each !== null).join(" | ")}</code>);
  if (pattern && !pattern.startsWith(NO_CONTROL_CHARACTERS)) {
    found.push(
      <>
        {t.form} <code>{pattern}</code>
      </>,
    );
  }
  // biome-ignore lint/suspicious/noArrayIndexKey: the limits of a member do not move
  return found.map((each, index) => <span key={index}>{each}</span>);
}
