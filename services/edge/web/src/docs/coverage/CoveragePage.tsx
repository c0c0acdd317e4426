// The communes whose data is loaded, for a key: a map, a table, and a search.
import { Button, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useDeferredValue, useMemo, useState } from "react";
import { useStatus } from "../../api/status";
import { setApiKey, useApiKey } from "../../shell/apiKey";
import { folded } from "../../shell/folded";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Empty, ErrorNotice, Loading, Notice } from "../../shell/states";
import docs from "../docs.module.css";
import { Table } from "../Table";
import { CoverageMap } from "./CoverageMap";
import { type Commune, departmentOf, useCommunes } from "./communes";
import styles from "./coverage.module.css";
import { coverageTexts } from "./texts";

const MAX_ROWS = 100;
const DEMO = "00";

export function CoveragePage() {
  const t = useText(coverageTexts);
  const apiKey = useApiKey();
  const { number } = useFormats();
  const { data, error, count, isFetching, refetch } = useCommunes(apiKey);
  return (
    <>
      <header className={docs.title}>
        <h1>{t.title}</h1>
        <p>{t.intro}</p>
      </header>
      <Notice>
        <strong>{t.absentTitle}.</strong> {t.absent} <a href="/api/docs/codes#code-commune_loading">{t.codeLink}</a>.{" "}
        <a href="/api/docs/status">{t.statusLink}</a>.
      </Notice>
      <KeyForm apiKey={apiKey} />
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {isFetching && <Loading label={t.reading(number(count))} />}
      {data?.length === 0 && (
        <Empty icon="search" title={t.empty}>
          {t.emptyDetail}
        </Empty>
      )}
      {data && data.length > 0 && <Communes communes={data} />}
    </>
  );
}

/** A key is sent when the form is sent, not with each of its characters. */
function KeyForm({ apiKey }: { apiKey: string }) {
  const t = useText(coverageTexts);
  const [text, setText] = useState(apiKey);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setApiKey(text.trim());
  };
  return (
    <form className={styles.key} onSubmit={submit}>
      <PasswordInput
        className={styles.field}
        label={t.key}
        description={t.keyNote}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={text.trim() === "" || text.trim() === apiKey}>
        {t.show}
      </Button>
    </form>
  );
}

function Communes({ communes }: { communes: readonly Commune[] }) {
  const t = useText(coverageTexts);
  const { number } = useFormats();
  const [dataset, setDataset] = useState("");
  const [area, setArea] = useState("");
  const [text, setText] = useState("");
  const [chosenCode, choose] = useState("");
  const words = useDeferredValue(folded(text)).split(" ");
  const areas = useMemo(() => [...new Set(communes.map(({ code }) => departmentOf(code)))], [communes]);
  const inArea = useMemo(
    () => (area === "" ? communes : communes.filter(({ code }) => departmentOf(code) === area)),
    [communes, area],
  );
  const found = inArea.filter(({ searched }) => words.every((word) => searched.includes(word)));
  const chosen = found.find(({ code }) => code === chosenCode) ?? (found.length === 1 ? found[0] : undefined) ?? null;
  const placeless = inArea.filter(({ box }) => box === null).length;
  return (
    <>
      <search className={styles.controls}>
        <TextInput
          type="search"
          label={t.search}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            choose("");
          }}
        />
        <DatasetChoice dataset={dataset} onChange={setDataset} communes={communes} />
        <NativeSelect
          label={t.area}
          value={area}
          onChange={(event) => {
            setArea(event.currentTarget.value);
            choose("");
          }}
          data={[
            { value: "", label: t.everywhere },
            ...areas.map((code) => ({ value: code, label: code === DEMO ? t.demo : t.department(code) })),
          ]}
        />
      </search>
      <p role="status" className={styles.note}>
        {t.found(found.length, number(found.length), number(communes.length))}
        {found.length > MAX_ROWS && ` · ${t.first(number(MAX_ROWS))}`}
      </p>
      <div className={styles.columns}>
        <div className={styles.beside}>
          <CoverageMap
            key={`${area} ${chosen?.code}`}
            communes={inArea}
            dataset={dataset}
            chosen={chosen}
            onChoose={choose}
          />
          <p className={styles.note}>{t.mapNote}</p>
          {placeless > 0 && <p className={styles.note}>{t.noPlace(placeless, number(placeless))}</p>}
        </div>
        <div>
          {chosen && <Details commune={chosen} />}
          <Table head={[t.commune, t.code, dataset === "" ? t.loaded : dataset]}>
            {found.slice(0, MAX_ROWS).map((each) => (
              <tr key={each.code} aria-current={each === chosen ? "true" : undefined}>
                <td>
                  <button
                    type="button"
                    className={styles.choose}
                    aria-label={t.showOnMap(each.name ?? each.code)}
                    onClick={() => choose(each.code)}
                  >
                    {each.name ?? t.noName}
                  </button>
                </td>
                <td>
                  <code>{each.code}</code>
                </td>
                <td>
                  {dataset === "" ? number(each.datasets.length) : each.datasets.includes(dataset) ? t.yes : t.no}
                </td>
              </tr>
            ))}
          </Table>
        </div>
      </div>
    </>
  );
}

/** The titles of the datasets, where the state of the service is known. Two may have the same title. */
function useTitles() {
  const { data } = useStatus();
  const titles = new Map(data?.datasets.map(({ dataset, title }) => [dataset, `${title} (${dataset})`]));
  const ofCommunes = data?.datasets.filter(({ partition }) => partition !== "country") ?? [];
  return { title: (id: string) => titles.get(id) ?? id, ids: ofCommunes.map(({ dataset }) => dataset) };
}

function DatasetChoice({
  dataset,
  onChange,
  communes,
}: {
  dataset: string;
  onChange: (dataset: string) => void;
  communes: readonly Commune[];
}) {
  const t = useText(coverageTexts);
  const { title } = useTitles();
  const loaded = useMemo(() => [...new Set(communes.flatMap(({ datasets }) => datasets))], [communes]);
  return (
    <NativeSelect
      label={t.dataset}
      value={dataset}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: "", label: t.any }, ...loaded.map((id) => ({ value: id, label: title(id) }))]}
    />
  );
}

function Details({ commune: { code, name, datasets } }: { commune: Commune }) {
  const t = useText(coverageTexts);
  const { title, ids } = useTitles();
  const absent = ids.filter((id) => !datasets.includes(id));
  return (
    <section className={styles.details} aria-live="polite" aria-label={`${name ?? t.noName} ${code}`}>
      <h2>
        {name ?? t.noName} <small>{code}</small>
      </h2>
      <h3>{t.loaded}</h3>
      <ul>
        {datasets.map((id) => (
          <li key={id}>{title(id)}</li>
        ))}
      </ul>
      {absent.length > 0 && (
        <>
          <h3>{t.absentDatasets}</h3>
          <ul>
            {absent.map((id) => (
              <li key={id}>{title(id)}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
