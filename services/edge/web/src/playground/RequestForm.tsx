// A request as a program sends it: its parameters and its body. The developer's view and the reference have the same form.
import { Button, NativeSelect, Textarea } from "@mantine/core";
import type { KeyboardEvent, ReactNode } from "react";
import { exampleText, objectIn, type Schemas } from "../docs/reference/description";
import { answerTypes, type Draft } from "../docs/reference/draft";
import { parsed } from "../samples/sample";
import { useText } from "../shell/language";
import { Loading } from "../shell/states";
import { asObject, withMember, writeBody } from "./body";
import { type Exchange, isPending } from "./exchange";
import styles from "./playground.module.css";
import { type Call, parametersOf } from "./requests";
import { SchemaFields } from "./SchemaFields";
import { texts } from "./texts";

const JSON_TYPE = "application/json";

export function RequestForm({
  call,
  schemas,
  draft,
  onDraft,
  exchange,
  onSend,
  onCancel,
  title,
  secret,
  isOpen = false,
}: {
  call: Call;
  schemas: Schemas;
  draft: Draft;
  onDraft: (part: Partial<Draft>) => void;
  exchange: Exchange | undefined;
  onSend: () => void;
  onCancel: () => void;
  title: ReactNode;
  /** The field of the key, in the header. */
  secret: ReactNode;
  /** Whether the fields of the body are unfolded. */
  isOpen?: boolean;
}) {
  const t = useText(texts);
  const { operation } = call;
  const content = operation.requestBody?.content ?? {};
  const media = content[draft.bodyType];
  const examples = Object.entries(media?.examples ?? {});
  const schema = draft.bodyType === JSON_TYPE ? schemas[objectIn(media?.schema ?? {}) ?? ""] : undefined;
  const body = parsed(draft.body);
  const units = operation["x-billing-units"];
  const isWaiting = isPending(exchange);
  const send = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    if (!isWaiting) onSend();
  };
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
  };
  const chooseType = (bodyType: string) => {
    const [first] = Object.values(content[bodyType]?.examples ?? {});
    onDraft({ bodyType, body: first ? exampleText(first.value) : "" });
  };
  const chooseExample = (name: string) => {
    const chosen = media?.examples?.[name];
    if (chosen) onDraft({ body: exampleText(chosen.value) });
  };
  return (
    <form
      className={`${styles.request} lp-screen`}
      aria-label={t.request}
      noValidate
      onSubmit={send}
      onKeyDown={sendByKey}
    >
      <header>
        {title}
        {secret}
      </header>
      <div className={styles.fields}>
        <SchemaFields
          schema={parametersOf(call)}
          schemas={{}}
          values={draft.values}
          onChange={(name, value) => onDraft({ values: { ...draft.values, [name]: String(value ?? "") } })}
        />
        <Choice
          label="Accept"
          names={answerTypes(call)}
          value={draft.accept}
          onChange={(accept) => onDraft({ accept })}
        />
        <Choice label={t.mediaType} names={Object.keys(content)} value={draft.bodyType} onChange={chooseType} />
        <Choice label={t.example} names={examples.map(([name]) => name)} onChange={chooseExample} />
      </div>
      {draft.bodyType !== "" && (
        <Textarea
          label={t.body}
          classNames={{ input: styles.raw ?? "" }}
          autosize
          minRows={3}
          maxRows={16}
          spellCheck={false}
          value={draft.body}
          error={draft.bodyType === JSON_TYPE && body === undefined ? t.notJson(syntaxError(draft.body)) : undefined}
          onChange={(event) => onDraft({ body: event.currentTarget.value })}
        />
      )}
      {schema && (
        <details className={styles.separate} open={isOpen}>
          <summary>{t.form}</summary>
          <div className={styles.fields}>
            {asObject(body) === body ? (
              <SchemaFields
                schema={schema}
                schemas={schemas}
                values={asObject(body)}
                onChange={(name, value) => onDraft({ body: writeBody(withMember(asObject(body), name, value)) })}
              />
            ) : (
              t.formWaits
            )}
          </div>
        </details>
      )}
      <div className={styles.send}>
        <Button type="submit" disabled={isWaiting} title={t.sendKeys} aria-keyshortcuts="Control+Enter Meta+Enter">
          {units === undefined ? t.send : t.sendFor(t.units(units))}
        </Button>
        {exchange && isWaiting && (
          <>
            <Button variant="default" onClick={onCancel}>
              {t.cancel}
            </Button>
            <Loading label={t.phases[exchange.phase]} />
          </>
        )}
      </div>
    </form>
  );
}

/** A list to choose from; nothing if there is no choice. */
function Choice({
  label,
  names,
  value,
  onChange,
}: {
  label: string;
  names: string[];
  value?: string;
  onChange: (name: string) => void;
}) {
  if (names.length < 2) return null;
  const state = value === undefined ? {} : { value };
  return (
    <NativeSelect label={label} data={names} {...state} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}

/** The browser's words about the first fault, with its place. */
function syntaxError(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
