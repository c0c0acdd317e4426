// The communes whose data is loaded, for a key: a table with a search.
import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { request } from "../../api/client";
import type { DatasetState, LoadedCommune, LoadedCommunes } from "../../api/types";
import { KeyForm } from "../../playground/SecretField";
import { useApiKey } from "../../shell/apiKey";
import { folded } from "../../shell/folded";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { ErrorNotice, Loading, Notice } from "../../shell/states";
import { Table } from "../Table";
import styles from "./status.module.css";
import { statusTexts } from "./texts";

const PAGE_SIZE = 500;
/** More than France has communes and arrondissements. */
const MAX_PAGES = 80;
const MAX_ROWS = 100;

export function Communes({ datasets }: { datasets: readonly DatasetState[] }) {
  const t = useText(statusTexts);
  const apiKey = useApiKey();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["loaded communes", apiKey],
    queryFn: ({ signal }) => readAll(apiKey, signal),
    enabled: apiKey !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0, // its name holds the key
    refetchInterval: false,
  });
  return (
    <section id="communes" aria-labelledby="communes-title">
      <h2 id="communes-title">{t.communes}</h2>
      <Notice>
        <strong>{t.absentTitle}.</strong> {t.absent} <a href="/api/docs/codes#code-commune_loading">{t.codeLink}</a>.
      </Notice>
      <KeyForm className={styles.controls ?? ""} submitLabel={t.show} note={t.keyNote} />
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {isFetching && <Loading />}
      {data && <CommuneTable communes={data} datasets={datasets} />}
    </section>
  );
}

function CommuneTable({
  communes,
  datasets,
}: {
  communes: readonly LoadedCommune[];
  datasets: readonly DatasetState[];
}) {
  const t = useText(statusTexts);
  const { number } = useFormats();
  const [dataset, setDataset] = useState("");
  const [area, setArea] = useState("");
  const [text, setText] = useState("");
  const words = useDeferredValue(folded(text)).split(" ");
  const areas = [...new Set(communes.map(({ code }) => departmentOf(code)))];
  const found = communes.filter(({ code, name }) => {
    const searched = folded(`${code} ${name ?? ""}`);
    return (area === "" || departmentOf(code) === area) && words.every((word) => searched.includes(word));
  });
  const ofCommunes = datasets.filter(({ partition }) => partition !== "country").map((each) => each.dataset);
  return (
    <>
      <search className={styles.controls}>
        <TextInput
          type="search"
          label={t.search}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <NativeSelect
          label={t.dataset}
          value={dataset}
          onChange={(event) => setDataset(event.currentTarget.value)}
          data={[{ value: "", label: t.any }, ...ofCommunes]}
        />
        <NativeSelect
          label={t.area}
          value={area}
          onChange={(event) => setArea(event.currentTarget.value)}
          data={[{ value: "", label: t.everywhere }, ...areas]}
        />
      </search>
      <p role="status" className={styles.detail}>
        {t.found(found.length, number(found.length), number(communes.length))}
        {found.length > MAX_ROWS && ` ${t.first(number(MAX_ROWS))}`}
      </p>
      <Table head={[t.commune, t.code, t.loaded, t.absentDatasets]}>
        {found.slice(0, MAX_ROWS).map(({ code, name, datasets: loaded }) => {
          const shown = dataset === "" ? ofCommunes : [dataset];
          return (
            <tr key={code}>
              <td>{name ?? t.noName}</td>
              <td>
                <code>{code}</code>
              </td>
              <td>{(dataset === "" ? loaded : shown.filter((id) => loaded.includes(id))).join(", ") || "–"}</td>
              <td>{shown.filter((id) => !loaded.includes(id)).join(", ") || "–"}</td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}

async function readAll(apiKey: string, signal: AbortSignal): Promise<LoadedCommune[]> {
  const found: LoadedCommune[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query: URLSearchParams = new URLSearchParams({ limit: String(PAGE_SIZE), ...(cursor && { cursor }) });
    const answer: LoadedCommunes = await request(`/api/v1/coverage/communes?${query}`, {
      headers: { "x-api-key": apiKey },
      signal,
    });
    found.push(...answer.communes);
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return found;
}

/** The département of a commune, such as 2A or 974. */
function departmentOf(code: string): string {
  return code.startsWith("97") ? code.slice(0, 3) : code.slice(0, 2);
}
