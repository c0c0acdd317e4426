// A file of lines: what is sent, how far it is, and its result.
import { Button, Fieldset, FileInput, NativeSelect, Progress, SegmentedControl, Textarea } from "@mantine/core";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { unitsOf, useDescription } from "../api/description";
import { useFormats } from "../shell/format";
import { useLanguage, useText } from "../shell/language";
import { Empty, Notice } from "../shell/states";
import { type Columns, firstLinesOf, presetOf, withColumns } from "./columns";
import { fileTexts } from "./fileTexts";
import { EXAMPLES, type FileRun, type Form, formOf, ROUTES, type Route, saveAnswers, sendFile, textIn } from "./lines";
import styles from "./playground.module.css";
import { texts } from "./texts";
import { DataTable } from "./views/components";

const FORMS_OF: Record<Route, Form[]> = { addresses: ["ndjson", "csv"], units: ["ndjson", "csv", "geopackage"] };
const SHOWN_ROWS = 8;
const SHOWN_ERRORS = 100;
const SHOWN_CHARACTERS = 100_000;

export default function FilePanel({ apiKey }: { apiKey: string }) {
  const t = useText(fileTexts);
  const common = useText(texts);
  const { language } = useLanguage();
  const [route, setRoute] = useState<Route>("addresses");
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState(EXAMPLES.addresses);
  const [chosenColumns, setColumns] = useState<Columns>({});
  const [form, setForm] = useState<Form>("csv");
  const [run, setRun] = useState<FileRun | null>(null);
  const [once, setOnce] = useState(newName);
  const { data: description } = useDescription();
  const units = unitsOf(description).find(([path]) => path === ROUTES[route])?.[1];
  const firstLines = useMemo(() => firstLinesOf(text), [text]);
  const columns = { ...presetOf(route, firstLines.header), ...chosenColumns };
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const isPending = run?.phase === "sending" || run?.phase === "receiving";
  const canResume = run?.phase === "interrupted" || run?.phase === "cancelled";
  /** Another content is another request. */
  const replace = (next: string) => {
    setText(next);
    setColumns({});
    setOnce(newName());
  };
  const chooseRoute = (next: Route) => {
    setRoute(next);
    setForm("csv");
    setRun(null);
    replace(file === null ? EXAMPLES[next] : text);
  };
  const chooseFile = async (chosen: File | null) => {
    setFile(chosen);
    const content = chosen === null ? EXAMPLES[route] : await textIn(chosen);
    replace(content);
    if (form !== "geopackage") setForm(formOf(content));
  };
  const chooseColumn = (member: string, column: string) => {
    const others = Object.entries(columns).map(([name, index]) => [name, index === column ? "" : index]);
    setColumns({ ...Object.fromEntries(others), [member]: column });
    setOnce(newName());
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const name = run?.phase === "done" ? newName() : once;
    setOnce(name);
    const now = new AbortController();
    controller.current = now;
    void sendFile(
      { route, form, own: firstLines, text: withColumns(text, firstLines, columns), language, key: apiKey, once: name },
      now.signal,
      setRun,
    );
  };
  return (
    <div className={styles.file}>
      <form className={styles.request} onSubmit={send} aria-label={common.request}>
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
          clearButtonProps={{ "aria-label": t.clearFile }}
        />
        {file === null && (
          <Textarea
            label={t.lines}
            value={text.slice(0, SHOWN_CHARACTERS)}
            onChange={(event) => replace(event.currentTarget.value)}
            rows={SHOWN_ROWS}
            readOnly={isPending || text.length > SHOWN_CHARACTERS}
            spellCheck={false}
            classNames={{ input: styles.raw ?? "" }}
          />
        )}
        <DataTable
          label={t.firstLines}
          rows={firstLines.rows}
          rowKey={(_, index) => String(index)}
          columns={firstLines.header.map((name, index) => ({
            title: `${index + 1}. ${name}`,
            cell: (row: string[]) => row[index],
          }))}
        />
        {firstLines.header.length > 0 && (
          <Fieldset legend={t.columns}>
            <p className={styles.hint}>{t.columnsHint}</p>
            <div className={styles.fields}>
              {Object.entries(columns).map(([member, column]) => (
                <NativeSelect
                  key={member}
                  size="xs"
                  label={<code>{member}</code>}
                  value={column}
                  onChange={(event) => chooseColumn(member, event.currentTarget.value)}
                  data={[
                    { value: "", label: t.noColumn },
                    ...firstLines.header.map((label, index) => ({ value: String(index), label })),
                  ]}
                  disabled={isPending}
                />
              ))}
            </div>
          </Fieldset>
        )}
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
      <section className={styles.answer} aria-label={t.result}>
        {run === null ? (
          <Empty icon="right" title={t.nothingYet}>
            {t.nothingYetDetail}
          </Empty>
        ) : (
          <Result run={run} route={route} />
        )}
      </section>
    </div>
  );
}

function Result({ run, route }: { run: FileRun; route: Route }) {
  const t = useText(fileTexts);
  const common = useText(texts);
  const { number } = useFormats();
  const { phase, total, answered, errors, problem } = run;
  const counted = total === null ? null : t.progress(number(answered), number(total), number(errors.length));
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
      {errors.length > 0 && (
        <DataTable
          label={t.errors}
          rows={errors.slice(0, SHOWN_ERRORS)}
          rowKey={(row) => String(row.line)}
          columns={[
            { title: t.line, isNumber: true, cell: (row) => number(row.line) },
            { title: t.reason, cell: (row) => row.detail },
            {
              title: common.violationCode,
              cell: (row) => (
                <a href={`/api/docs/codes#code-${row.code}`}>
                  <code>{row.code}</code>
                </a>
              ),
            },
          ]}
        />
      )}
      {errors.length > SHOWN_ERRORS && <p>{t.moreErrors(number(errors.length - SHOWN_ERRORS))}</p>}
      {phase !== "sending" && phase !== "receiving" && run.parts.length > 0 && (
        <Button variant="default" onClick={() => void saveAnswers(run, route)}>
          {t.download}
        </Button>
      )}
    </>
  );
}

function newName(): string {
  return crypto.randomUUID();
}
