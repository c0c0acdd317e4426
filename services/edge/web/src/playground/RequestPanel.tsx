// The request: example, synchronized form and raw body, and the send button.
import { Button, Progress, SegmentedControl, Select, Switch, Textarea } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type FormEvent, useEffect, useState } from "react";
import type { Draft } from "../docs/reference/draft";
import { useFormats } from "../shell/format";
import { useText } from "../shell/language";
import { readBody, writeBody } from "./body";
import { EVENT_STREAM, type Exchange, isPending } from "./exchange";
import { bodyOfAddress, useLoadedAddresses } from "./loadedExamples";
import styles from "./playground.module.css";
import { RequestForm } from "./RequestForm";
import { bodyOf, type Call, type Task } from "./requests";
import { exampleNames, texts } from "./texts";

export const KEY_START = /^lp_(live|test)_/;
const MIN_ROWS = 6;
const MAX_ROWS = 22;
const TICK_MS = 100;

export function RequestPanel({
  name,
  call,
  draft,
  onDraft,
  apiKey,
  exchange,
  onSend,
  onCancel,
}: {
  name: Task;
  call: Call;
  draft: Draft;
  onDraft: (part: Partial<Draft>) => void;
  apiKey: string;
  exchange: Exchange | undefined;
  onSend: () => void;
  onCancel: () => void;
}) {
  const t = useText(texts);
  const { method, path, operation } = call;
  const units = operation["x-billing-units"];
  const isWaiting = isPending(exchange);
  const send = () => {
    if (!isWaiting) onSend();
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
      <p className={styles.about}>{t.about[name]}</p>
      <BodyFields
        key={name}
        name={name}
        call={call}
        text={draft.body}
        onChange={(body) => onDraft({ body })}
        apiKey={apiKey}
      />
      {name === "divide" && (
        <Switch
          label={t.streaming}
          checked={draft.accept === EVENT_STREAM}
          onChange={(event) => onDraft({ accept: event.currentTarget.checked ? EVENT_STREAM : "" })}
        />
      )}
      <div className={styles.send}>
        <Button
          type="submit"
          disabled={isWaiting}
          size="md"
          title={t.sendKeys}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          {units === undefined ? t.send : t.sendFor(t.units(units))}
        </Button>
        {isWaiting && (
          <Button variant="default" size="md" onClick={onCancel}>
            {t.cancel}
          </Button>
        )}
        {exchange && isWaiting ? (
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
  name,
  call,
  text,
  onChange,
  apiKey,
}: {
  name: Task;
  call: Call;
  text: string;
  onChange: (text: string) => void;
  apiKey: string;
}) {
  const t = useText(texts);
  const names = useText(exampleNames);
  const [isChoosing, setChoosing] = useState(false);
  const loaded = useLoadedAddresses(apiKey, isChoosing);
  const examples: [name: string, body: unknown][] = [
    ...Object.entries(bodyOf(call)?.examples ?? {}).map(([title, { value }]): [string, unknown] => [title, value]),
    ...loaded.flatMap((label): [string, unknown][] => {
      const example = bodyOfAddress(name, label);
      return example === null ? [] : [[label, example]];
    }),
  ];
  const [view, setView] = useState<View>("form");
  const [chosen, setChosen] = useState<string | null>(null);
  const body = readBody(text);
  const choose = (title: string | null) => {
    const example = examples.find(([each]) => each === title);
    if (example === undefined) return;
    setChosen(title);
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
        <RequestForm name={name} call={call} body={body} onChange={change} apiKey={apiKey} />
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
        data={examples.map(([title]) => ({ value: title, label: names[title] ?? title }))}
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
