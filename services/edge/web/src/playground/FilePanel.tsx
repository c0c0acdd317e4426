// A file of lines: what is sent, how far it is, and its result.
import { Button, FileInput, Progress, SegmentedControl, Textarea } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { unitsOf, useDescription } from "../api/description";
import { useFormats } from "../shell/format";
import { useLanguage, useText } from "../shell/language";
import { Empty, Notice } from "../shell/states";
import { fileTexts } from "./fileTexts";
import { EXAMPLES, type FileRun, type Form, formOf, ROUTES, type Route, saveAnswers, sendFile } from "./lines";
import styles from "./playground.module.css";
import { texts } from "./texts";

const FORMS_OF: Record<Route, Form[]> = { addresses: ["ndjson", "csv"], units: ["ndjson", "csv", "geopackage"] };
const SHOWN_ROWS = 8;
const SHOWN_CHARACTERS = 100_000;

export function FilePanel({ apiKey }: { apiKey: string }) {
  const t = useText(fileTexts);
  const common = useText(texts);
  const { language } = useLanguage();
  const [route, setRoute] = useState<Route>("addresses");
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState(EXAMPLES.addresses);
  const [form, setForm] = useState<Form>("csv");
  const [run, setRun] = useState<FileRun | null>(null);
  const [once, setOnce] = useState(newName);
  const { data: description } = useDescription();
  const units = unitsOf(description).find(([path]) => path === ROUTES[route])?.[1];
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const isPending = run?.phase === "sending" || run?.phase === "receiving";
  const canResume = run?.phase === "interrupted" || run?.phase === "cancelled";
  /** Another content is another request. */
  const replace = (next: string) => {
    setText(next);
    setOnce(newName());
  };
  const chooseRoute = (next: Route) => {
    setRoute(next);
    setForm("csv");
    setRun(null);
    if (file === null) replace(EXAMPLES[next]);
    else setOnce(newName());
  };
  const chooseFile = async (chosen: File | null) => {
    setFile(chosen);
    const content = chosen === null ? EXAMPLES[route] : await chosen.text();
    replace(content);
    if (form !== "geopackage") setForm(formOf(content));
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const name = run?.phase === "done" ? newName() : once;
    setOnce(name);
    const now = new AbortController();
    controller.current = now;
    void sendFile({ route, form, text, language, key: apiKey, once: name }, now.signal, setRun);
  };
  return (
    <>
      <form className={`${styles.panel} ${styles.requestArea}`} onSubmit={send} aria-label={common.request}>
        <header className={styles.operation}>
          <span className={styles.method} data-method="POST">
            POST
          </span>
          <code>{ROUTES[route]}</code>
        </header>
        <p className={styles.about}>{units === undefined ? t.about : `${t.about} ${t.perLine(common.units(units))}`}</p>
        <SegmentedControl
          aria-label={t.route}
          value={route}
          onChange={(value) => chooseRoute(value as Route)}
          data={(Object.keys(ROUTES) as Route[]).map((value) => ({ value, label: t.routes[value] }))}
          disabled={isPending}
          fullWidth
        />
        <FileInput
          label={t.file}
          description={t.fileHint}
          value={file}
          onChange={(chosen) => void chooseFile(chosen)}
          accept=".csv,.ndjson,.jsonl,.txt"
          disabled={isPending}
          clearable
        />
        <Textarea
          label={t.lines}
          value={text.slice(0, SHOWN_CHARACTERS)}
          onChange={(event) => {
            setFile(null);
            replace(event.currentTarget.value);
          }}
          rows={SHOWN_ROWS}
          readOnly={isPending || text.length > SHOWN_CHARACTERS}
          spellCheck={false}
          classNames={{ input: styles.raw ?? "" }}
        />
        <SegmentedControl
          aria-label={t.form}
          value={form}
          onChange={(value) => setForm(value as Form)}
          data={FORMS_OF[route].map((value) => ({ value, label: t.forms[value] }))}
          disabled={isPending}
          fullWidth
        />
        <div className={styles.send}>
          <Button type="submit" disabled={isPending} size="md">
            {canResume ? t.resume : t.send}
          </Button>
          {isPending && (
            <Button variant="default" size="md" onClick={() => controller.current?.abort()}>
              {common.cancel}
            </Button>
          )}
          {!isPending && apiKey === "" && <span className={styles.hint}>{common.keyMissing}</span>}
        </div>
      </form>
      <section className={`${styles.panel} ${styles.responseArea}`} aria-label={t.result}>
        {run === null ? (
          <Empty icon="right" title={t.nothingYet}>
            {t.nothingYetDetail}
          </Empty>
        ) : (
          <Result run={run} route={route} />
        )}
      </section>
    </>
  );
}

function Result({ run, route }: { run: FileRun; route: Route }) {
  const t = useText(fileTexts);
  const { number } = useFormats();
  const { phase, total, answered, failed, problem } = run;
  const counted = total === null ? null : t.progress(number(answered), number(total), number(failed));
  const share = total === null || total === 0 ? 0 : (100 * answered) / total;
  return (
    <>
      <p role="status">{t.phases[phase]}</p>
      {counted !== null && run.form !== "geopackage" && (
        <>
          <Progress.Root size="lg">
            <Progress.Section value={share} aria-label={counted} animated={phase === "receiving"} />
          </Progress.Root>
          <p data-testid="lines">{counted}</p>
        </>
      )}
      {problem !== null && (
        <Notice tone="warning">
          <strong>{problem.code}</strong>
          <p>{problem.detail}</p>
        </Notice>
      )}
      {phase !== "sending" && phase !== "receiving" && run.parts.length > 0 && (
        <Button variant="default" onClick={() => saveAnswers(run, route)}>
          {t.download}
        </Button>
      )}
    </>
  );
}

function newName(): string {
  return crypto.randomUUID();
}
