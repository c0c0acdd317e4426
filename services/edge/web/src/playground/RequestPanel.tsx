// The request: example, synchronized form and raw body, and the send button.
import { Button, Progress, SegmentedControl, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type FormEvent, useEffect, useState } from "react";
import { requestExamples, unitsOf, useDescription } from "../api/description";
import { useFormats } from "../shell/format";
import { useText } from "../shell/language";
import { readBody, writeBody } from "./body";
import type { Exchange } from "./exchange";
import { bodyOfAddress, useLoadedAddresses } from "./loadedExamples";
import styles from "./playground.module.css";
import { RequestForm } from "./RequestForm";
import { type Draft, ENDPOINTS, type EndpointId, type ParameterName } from "./requests";
import { exampleNames, texts } from "./texts";

export const KEY_START = /^lp_(live|test)_/;
const MIN_ROWS = 6;
const MAX_ROWS = 22;
const TICK_MS = 100;
const PLACEHOLDERS: Readonly<Record<ParameterName, string>> = {
  q: "rue du 8 m",
  city_code: "75118",
  lat: "47.0006",
  lon: "1.9995",
  bbox: "1.9990,47.0003,2.0008,47.0012",
  commune: "75118",
  limit: "50",
};

export function RequestPanel({
  endpoint,
  draft,
  onDraft,
  apiKey,
  exchange,
  onSend,
  onCancel,
}: {
  endpoint: EndpointId;
  draft: Draft;
  onDraft: (part: Partial<Draft>) => void;
  apiKey: string;
  exchange: Exchange | undefined;
  onSend: () => void;
  onCancel: () => void;
}) {
  const t = useText(texts);
  const { method, path, streams, parameters } = ENDPOINTS[endpoint];
  const { data: description } = useDescription();
  const units = unitsOf(description).find(([each]) => each === path)?.[1];
  const isPending = exchange?.phase === "sending" || exchange?.phase === "receiving";
  const send = () => {
    if (!isPending) onSend();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  useHotkeys(
    [
      ["ctrl+Enter", send],
      ["meta+Enter", send],
    ],
    [], // also while a field has the focus
  );
  return (
    <form className={styles.panel} onSubmit={submit} aria-label={t.request}>
      <header className={styles.operation}>
        <span className={styles.method} data-method={method}>
          {method}
        </span>
        <code>{path}</code>
      </header>
      <p className={styles.about}>{t.about[endpoint]}</p>
      {method === "POST" && (
        <BodyFields
          key={endpoint}
          endpoint={endpoint}
          text={draft.body}
          onChange={(body) => onDraft({ body })}
          apiKey={apiKey}
        />
      )}
      {parameters.length > 0 && (
        <div className={styles.addressFields}>
          {parameters.map((name) => (
            <TextInput
              key={name}
              className={name === "q" ? styles.field_label : styles.field_street}
              label={t.parameters[name]}
              value={draft.query[name] ?? ""}
              onChange={(event) => onDraft({ query: { ...draft.query, [name]: event.currentTarget.value } })}
              placeholder={PLACEHOLDERS[name]}
              autoComplete="off"
            />
          ))}
        </div>
      )}
      {streams && (
        <Switch
          label={t.streaming}
          checked={draft.streams}
          onChange={(event) => onDraft({ streams: event.currentTarget.checked })}
        />
      )}
      <div className={styles.send}>
        <Button
          type="submit"
          disabled={isPending}
          size="md"
          title={t.sendKeys}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          {units === undefined ? t.send : t.sendFor(t.units(units))}
        </Button>
        {isPending && (
          <Button variant="default" size="md" onClick={onCancel}>
            {t.cancel}
          </Button>
        )}
        {isPending ? (
          <PendingStatus exchange={exchange} />
        ) : (
          apiKey === "" && <span className={styles.hint}>{t.keyMissing}</span>
        )}
      </div>
    </form>
  );
}

function PendingStatus({ exchange }: { exchange: Exchange }) {
  const t = useText(texts);
  const { milliseconds } = useFormats();
  const elapsed = useElapsed();
  return (
    <div className={styles.pending}>
      <span role="status">{t.phases[exchange.phase]}</span>
      <span aria-hidden="true">{milliseconds(elapsed)}</span>
      <Progress value={100} animated size="xs" aria-hidden="true" className={styles.progress} />
    </div>
  );
}

type View = "form" | "raw";

function BodyFields({
  endpoint,
  text,
  onChange,
  apiKey,
}: {
  endpoint: EndpointId;
  text: string;
  onChange: (text: string) => void;
  apiKey: string;
}) {
  const t = useText(texts);
  const names = useText(exampleNames);
  const { data: description } = useDescription();
  const { path, method } = ENDPOINTS[endpoint];
  const [isChoosing, setChoosing] = useState(false);
  const loaded = useLoadedAddresses(apiKey, isChoosing);
  const examples: [name: string, body: unknown][] = [
    ...requestExamples(description, path, method),
    ...loaded.flatMap((label): [string, unknown][] => {
      const example = bodyOfAddress(endpoint, label);
      return example === null ? [] : [[label, example]];
    }),
  ];
  const [view, setView] = useState<View>("form");
  const [chosen, setChosen] = useState<string | null>(null);
  const body = readBody(text);
  const choose = (name: string | null) => {
    const example = examples.find(([each]) => each === name);
    if (example === undefined) return;
    setChosen(name);
    onChange(writeBody(example[1]));
  };
  const change = (next: string) => {
    setChosen(null);
    onChange(next);
  };
  const syntaxError = body.ok
    ? undefined
    : t.syntaxErrorAt(body.error.line, body.error.column, t.syntaxErrors[body.error.reason]);
  return (
    <>
      {view === "form" ? (
        <RequestForm endpoint={endpoint} body={body} onChange={change} apiKey={apiKey} />
      ) : (
        <Textarea
          label={t.body}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          error={syntaxError}
          autosize
          minRows={MIN_ROWS}
          maxRows={MAX_ROWS}
          spellCheck={false}
          classNames={{ input: styles.raw ?? "" }}
        />
      )}
      <Select
        label={t.examples}
        description={t.examplesHint}
        placeholder={t.chooseExample}
        value={chosen}
        onChange={choose}
        data={examples.map(([name]) => ({ value: name, label: names[name] ?? name }))}
        disabled={examples.length === 0}
        onDropdownOpen={() => setChoosing(KEY_START.test(apiKey))}
        onDropdownClose={() => setChoosing(false)}
        allowDeselect={false}
      />
      <SegmentedControl
        aria-label={t.bodyView}
        value={view}
        onChange={(value) => setView(value as View)}
        data={[
          { value: "form", label: t.form },
          { value: "raw", label: t.raw },
        ]}
        fullWidth
      />
    </>
  );
}

/** Milliseconds since the component appeared, some ten times a second. */
function useElapsed(): number {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    const started = performance.now();
    const timer = setInterval(() => setElapsed(performance.now() - started), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return elapsed;
}
