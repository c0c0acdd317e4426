// One operation: what it takes, what it answers, its errors, and a form that sends it.
import { NativeSelect } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Answer, Media } from "../../api/description";
import { taskAt } from "../../playground/requests";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, Notice } from "../../shell/states";
import { Code } from "../Code";
import { Table } from "../Table";
import { codesOf, type Entry, exampleText, objectIn, type Schema, type Schemas } from "./description";
import { Field, Fields, Meanings } from "./Fields";
import { Method, Prose } from "./Prose";
import styles from "./reference.module.css";
import { TryIt } from "./TryIt";
import { referenceTexts } from "./texts";

export default function OperationPage({ entry, schemas }: { entry: Entry; schemas: Schemas }) {
  const t = useText(referenceTexts);
  const { operation, method, path } = entry;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    title.current?.focus({ preventScroll: true });
  }, []);
  const answers = Object.entries(operation.responses ?? {});
  const errors = answers.filter(([status]) => Number(status) >= 400);
  const playground = taskAt(path);
  return (
    <>
      <a className={styles.back} href="#/">
        ← {t.all}
      </a>
      <h2 ref={title} tabIndex={-1} className={styles.title}>
        {operation.summary}
      </h2>
      <p className={styles.path}>
        <Method name={method} /> <code>{path}</code> <Units entry={entry} />
      </p>
      {operation.deprecated && <Notice tone="warning">{t.deprecated}</Notice>}
      <TryIt entry={entry} schemas={schemas}>
        <Prose text={operation.description ?? ""} />
        {playground && (
          <p>
            <a href={`/playground#${playground}`}>{t.playground}</a>
          </p>
        )}
        {operation.parameters && operation.parameters.length > 0 && (
          <Section id="parameters" title={t.parameters}>
            <ul className={styles.fields}>
              {operation.parameters.map(({ name, in: place, required, description = "", schema }) => (
                <Field
                  key={name}
                  name={name}
                  link={`/api/docs/dictionary#${operation.operationId}.${name}`}
                  schema={{ ...(schema as Schema), description }}
                  schemas={schemas}
                  presence={`${t.places[place]}, ${required ? t.required : t.optional}`}
                />
              ))}
            </ul>
          </Section>
        )}
        {operation.requestBody && (
          <Section id="body" title={t.body}>
            <Contents content={operation.requestBody.content ?? {}} schemas={schemas} />
          </Section>
        )}
      </TryIt>
      {answers
        .filter(([status]) => Number(status) < 400)
        .map(([status, answer]) => (
          <Section key={status} id={`answer-${status}`} title={t.answer(status)}>
            {answer?.content ? <Contents content={answer.content} schemas={schemas} isAnswer /> : <p>{t.noContent}</p>}
            <Meanings
              title={t.answerHeaders}
              of={Object.entries(answer?.headers ?? {}).map(([name, header]) => [name, header?.description])}
            />
          </Section>
        ))}
      {errors.length > 0 && (
        <Section id="errors" title={t.errors}>
          <p>{t.errorsNote}</p>
          <Errors errors={errors} />
        </Section>
      )}
    </>
  );
}

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

/** What an answer costs by default; nothing for operations that are not metered. */
function Units({ entry: { operation } }: { entry: Entry }) {
  const t = useText(referenceTexts);
  const { number } = useFormats();
  const perLine = operation["x-billing-units-per-line"];
  const units = operation["x-billing-units"];
  if (perLine !== undefined) return <Badge tone="neutral">{t.unitsPerLine(perLine, number(perLine))}</Badge>;
  return units === undefined ? null : <Badge tone="neutral">{t.units(units, number(units))}</Badge>;
}

/** The forms of a body: the members, and for an answer its recorded examples. */
function Contents({
  content,
  schemas,
  isAnswer = false,
}: {
  content: Record<string, Media | undefined>;
  schemas: Schemas;
  isAnswer?: boolean;
}) {
  const t = useText(referenceTexts);
  const types = Object.keys(content);
  const [type = "", choose] = useState(types[0]);
  const media = content[type];
  const object = objectIn((media?.schema ?? {}) as Schema);
  return (
    <>
      <div className={styles.form}>
        {types.length > 1 ? (
          <NativeSelect
            label={t.mediaType}
            data={types}
            value={type}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        ) : (
          <p>
            <code>{type}</code>
          </p>
        )}
      </div>
      {object && <Fields object={object} schemas={schemas} />}
      {isAnswer && <Examples key={type} media={media} />}
    </>
  );
}

function Examples({ media }: { media: Media | undefined }) {
  const t = useText(referenceTexts);
  const examples = Object.entries(media?.examples ?? {});
  const [name = "", choose] = useState(examples[0]?.[0]);
  const text = exampleText(media?.examples?.[name]?.value ?? "");
  if (examples.length === 0) return null;
  if (text === "") return <p>{t.binary}</p>;
  return (
    <Code
      text={text}
      label={
        examples.length > 1 ? (
          <NativeSelect
            size="xs"
            aria-label={t.exampleAnswer}
            data={examples.map(([each]) => each)}
            value={name}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        ) : (
          t.exampleAnswer
        )
      }
    />
  );
}

function Errors({ errors }: { errors: readonly [string, Answer | undefined][] }) {
  const t = useText(referenceTexts);
  return (
    <Table head={[t.status, t.codes]}>
      {errors.map(([status, answer]) => (
        <tr key={status}>
          <td>{status}</td>
          <td>
            <ul className={styles.codes}>
              {codesOf(answer?.description ?? "").map(([code, title]) => (
                <li key={code}>
                  <a href={`/api/docs/codes#code-${code}`}>
                    <code>{code}</code>
                  </a>{" "}
                  {title}
                </li>
              ))}
            </ul>
          </td>
        </tr>
      ))}
    </Table>
  );
}
