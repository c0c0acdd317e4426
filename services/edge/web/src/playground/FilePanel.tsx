// A file of lines: what is sent, how far it is, and its result.
import { Button, Fieldset, FileInput, NativeSelect, Progress, SegmentedControl, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { unitsOf, useDescription } from "../api/description";
import type { Problem } from "../api/types";
import { useFormats } from "../shell/format";
import { useLanguage, useText } from "../shell/language";
import { Empty, Notice } from "../shell/states";
import { type Columns, type Member, membersOf, placesOf, presetOf, withMembers } from "./columns";
import { fileTexts } from "./fileTexts";
import {
  type Content,
  EXAMPLES,
  type FileRequest,
  type FileRun,
  type Form,
  formOf,
  previewOf,
  ROUTES,
  type Route,
  saveAnswers,
  sendFile,
  textIn,
} from "./lines";
import styles from "./playground.module.css";
import { texts } from "./texts";
import { DataTable } from "./views/components";

const FORMS_OF: Record<Route, Form[]> = {
  addresses: ["csv", "xlsx", "ndjson"],
  units: ["csv", "xlsx", "ndjson", "geopackage"],
};
const IS_BOOK = /\.xlsx$/i;
const PAUSE_MS = 300;
const SHOWN_ROWS = 8;
const SHOWN_ERRORS = 100;
const SHOWN_CHARACTERS = 100_000;

export default function FilePanel({ apiKey }: { apiKey: string }) {
  const t = useText(fileTexts);
  const common = useText(texts);
  const { language } = useLanguage();
  const [route, setRoute] = useState<Route>("addresses");
  const [file, setFile] = useState<File | null>(null);
  const [content, setContent] = useState<Content>(EXAMPLES.addresses);
  const [chosenColumns, setColumns] = useState<Columns>({});
  const [form, setForm] = useState<Form>("csv");
  const [run, setRun] = useState<FileRun | null>(null);
  const [once, setOnce] = useState(newName);
  const { data: description } = useDescription();
  const units = unitsOf(description).find(([path]) => path === ROUTES[route])?.[1];
  const read = useFirstLines({ route, content, language, key: apiKey }, chosenColumns, once);
  const { columns, header } = read;
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const isPending = run?.phase === "sending" || run?.phase === "receiving";
  const canResume = run?.phase === "interrupted" || run?.phase === "cancelled";
  /** Another content is another request. */
  const replace = (next: Content) => {
    setContent(next);
    setColumns({});
    setOnce(newName());
  };
  const chooseRoute = (next: Route) => {
    setRoute(next);
    setForm("csv");
    setRun(null);
    replace(file === null ? EXAMPLES[next] : content);
  };
  const chooseFile = async (chosen: File | null) => {
    setFile(chosen);
    const given = chosen === null ? EXAMPLES[route] : IS_BOOK.test(chosen.name) ? chosen : await textIn(chosen);
    replace(given);
    if (form !== "geopackage") setForm(formOf(given));
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
    void sendFile({ ...read.request, form, once: name }, now.signal, setRun);
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
          accept=".xlsx,.csv,.ndjson,.jsonl,.txt"
          disabled={isPending}
          clearable
          clearButtonProps={{ "aria-label": t.clearFile }}
        />
        {file === null && typeof content === "string" && (
          <Textarea
            label={t.lines}
            value={content.slice(0, SHOWN_CHARACTERS)}
            onChange={(event) => replace(event.currentTarget.value)}
            rows={SHOWN_ROWS}
            readOnly={isPending || content.length > SHOWN_CHARACTERS}
            spellCheck={false}
            classNames={{ input: styles.raw ?? "" }}
          />
        )}
        {read.problem && <ProblemNotice problem={read.problem} />}
        <DataTable
          label={t.firstLines}
          rows={read.rows}
          rowKey={(_, index) => String(index)}
          columns={[
            ...header.map((name, index) => ({
              title: `${index + 1}. ${name}`,
              cell: (row: FirstLine) => row.cells[index],
            })),
            ...(read.rows.some(({ fault }) => fault)
              ? [{ title: t.reason, cell: ({ fault }: FirstLine) => fault }]
              : []),
          ]}
        />
        {header.length > 0 && (
          <Fieldset legend={t.columns}>
            <p className={styles.hint}>{t.columnsHint}</p>
            <div className={styles.fields}>
              {Object.entries(columns).map(([member, column]) => (
                <NativeSelect
                  key={member}
                  size="xs"
                  label={t.members[member as Member]}
                  value={column}
                  onChange={(event) => chooseColumn(member, event.currentTarget.value)}
                  data={[
                    { value: "", label: t.noColumn },
                    ...header.map((label, index) => ({ value: String(index), label })),
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
          <Button type="submit" disabled={isPending || !read.isRead} size="md">
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

interface FirstLine {
  cells: readonly string[];
  /** What the service says of it. */
  fault: string | undefined;
}

/** The first lines with their faults, and the request for all. A table is read by the service, lines of objects here. */
function useFirstLines(file: Omit<FileRequest, "columns">, chosen: Columns, once: string) {
  const { route, content, language, key } = file;
  const isLines = formOf(content) === "ndjson";
  const own = useMemo(() => (typeof content === "string" && isLines ? membersOf(content) : null), [content, isLines]);
  const [known, know] = useState<readonly string[]>([]);
  const header = own?.header ?? known;
  const columns = useMemo((): Columns => ({ ...presetOf(route, header), ...chosen }), [route, header, chosen]);
  const request = useMemo(() => {
    const sent =
      typeof content === "string" && isLines
        ? { content: withMembers(content, header, columns), columns: "" }
        : { content, columns: placesOf(columns) };
    return { route, language, key, once, ...sent };
  }, [route, language, key, once, content, isLines, header, columns]);
  const [asked] = useDebouncedValue(request, PAUSE_MS);
  const { data, isFetching } = useQuery({
    queryKey: ["first lines", route, key, language, asked.once, asked.columns],
    queryFn: ({ signal }) => previewOf(asked, signal),
    enabled: key !== "",
    placeholderData: keepPreviousData,
    gcTime: 0, // its name holds the key
  });
  useEffect(() => know(data?.header ?? []), [data]);
  const rows = (data?.lines ?? []).map(({ cells, problem }, index): FirstLine => {
    return { cells: own?.rows[index] ?? cells, fault: problem && (problem.errors?.[0]?.detail ?? problem.detail) };
  });
  return { request, header, columns, rows, problem: data?.problem ?? null, isRead: asked === request && !isFetching };
}

function ProblemNotice({ problem: { code, detail } }: { problem: Problem }) {
  return (
    <Notice tone="warning">
      <strong>{code}</strong>
      <p>{detail}</p>
    </Notice>
  );
}

function Result({ run, route }: { run: FileRun; route: Route }) {
  const t = useText(fileTexts);
  const common = useText(texts);
  const { number } = useFormats();
  const { phase, total, answered, errors, problem } = run;
  const isWhole = run.form === "geopackage" || run.form === "xlsx";
  const counted = total === null ? null : t.progress(number(answered), number(total), number(errors.length));
  const share = total === null || total === 0 ? 0 : (100 * answered) / total;
  return (
    <>
      <p role="status">{t.phases[phase]}</p>
      {isWhole && phase === "done" && <p data-testid="lines">{t.whole(number(total ?? 0))}</p>}
      {counted !== null && !isWhole && (
        <>
          <Progress.Root size="lg">
            <Progress.Section value={share} aria-label={counted} animated={phase === "receiving"} />
          </Progress.Root>
          <p data-testid="lines">{counted}</p>
        </>
      )}
      {problem && <ProblemNotice problem={problem} />}
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
