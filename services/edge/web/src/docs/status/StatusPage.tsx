// The state of the services, and what is loaded of each dataset. It needs no key.
import { useStatus } from "../../api/status";
import type { DatasetState, Status } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, ErrorNotice, Loading, Notice } from "../../shell/states";
import docs from "../docs.module.css";
import { Table } from "../Table";
import { useTarget } from "../target";
import { Communes } from "./Communes";
import styles from "./status.module.css";
import { statusTexts } from "./texts";

export default function StatusPage() {
  const t = useText(statusTexts);
  const { data, error, refetch } = useStatus();
  useTarget(data !== undefined);
  return (
    <>
      <header className={docs.title}>
        <h1>{t.title}</h1>
        <p>{t.intro}</p>
      </header>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data && (
        <>
          <Services status={data} />
          <Availability status={data} />
          <Datasets status={data} />
          <Communes datasets={data.datasets} />
        </>
      )}
    </>
  );
}

function Services({ status }: { status: Status }) {
  const t = useText(statusTexts);
  const { ago, instant } = useFormats();
  return (
    <section aria-labelledby="services">
      <h2 id="services">{t.services}</h2>
      <p className={styles.summary}>
        <Badge tone={status.status === "ok" ? "success" : "warning"}>
          {status.status === "ok" ? t.ok : t.degraded}
        </Badge>{" "}
        <span className={styles.detail}>{t.checked(ago(status.checked_at))}</span>
      </p>
      <ul className={styles.services}>
        {status.services.map(({ name, status: state, since }) => (
          <li key={name} data-state={state}>
            <strong>{t.names[name] ?? name}</strong>
            <Badge tone={state === "ok" ? "success" : "error"}>{state === "ok" ? t.up : t.down}</Badge>
            {since && <span className={styles.detail}>{t.since(instant(since))}</span>}
            {state !== "ok" && <p>{t.without[name]}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A row of days for each service. */
function Availability({ status: { availability, services } }: { status: Status }) {
  const t = useText(statusTexts);
  const { date, percent } = useFormats();
  return (
    <section aria-labelledby="availability">
      <h2 id="availability">{t.availability}</h2>
      <p className={styles.detail}>{t.availabilityIntro}</p>
      {services.map(({ name }) => {
        const days = availability.filter((day) => day.name === name);
        const sum = (member: "checks" | "answered") => days.reduce((total, day) => total + day[member], 0);
        const share = (answered: number, checks: number) => percent(Math.floor((answered / checks) * 1000) / 1000);
        return (
          <div key={name} className={styles.days}>
            <strong>{t.names[name] ?? name}</strong>{" "}
            <span>{days.length > 0 ? share(sum("answered"), sum("checks")) : "–"}</span>
            <div aria-hidden>
              {days.map(({ date: day, checks, answered }) => (
                <i
                  key={day}
                  data-state={answered === checks ? "ok" : "down"}
                  title={`${date(day)} : ${share(answered, checks)}`}
                />
              ))}
            </div>
          </div>
        );
      })}
    </section>
  );
}

function Datasets({ status: { datasets, datasets_at: at, services } }: { status: Status }) {
  const t = useText(statusTexts);
  const { instant } = useFormats();
  const isDown = services.some(({ name, status }) => name === "land" && status !== "ok");
  return (
    <section aria-labelledby="data">
      <h2 id="data">{t.data}</h2>
      <p className={styles.detail}>{t.dataIntro}</p>
      {at === null && <Notice tone="warning">{t.unknown}</Notice>}
      {at !== null && isDown && <Notice tone="warning">{t.kept(instant(at))}</Notice>}
      {at !== null && (
        <div className={styles.datasets}>
          <Table head={[t.dataset, t.edition, t.loaded, t.lastLoad, t.refresh]}>
            {datasets.map((each) => (
              <DatasetRow key={each.dataset} state={each} />
            ))}
          </Table>
        </div>
      )}
    </section>
  );
}

function DatasetRow({ state }: { state: DatasetState }) {
  const t = useText(statusTexts);
  const { number, date } = useFormats();
  const { oldest_edition: oldest, newest_edition: newest, partition_count: count, loaded_at: loadedAt } = state;
  const pieces = t.pieces[state.partition];
  const isLookup = state.way === "lookup";
  const editions = oldest === newest ? newest : t.editions(oldest ?? t.unknownEdition, newest ?? t.unknownEdition);
  return (
    <tr data-empty={count === 0 || undefined}>
      <td>
        <a href={state.url} target="_blank" rel="noopener noreferrer">
          {state.title}
        </a>
        <small>
          <code>{state.dataset}</code> · {state.publisher} · {state.licence}
        </small>
        <small>{t.way[state.way] ?? state.way}</small>
      </td>
      <td data-label={t.edition}>{count > 0 ? (editions ?? t.unknownEdition) : "–"}</td>
      <td data-label={t.loaded}>
        {count > 0 ? (pieces?.(count, number(count)) ?? number(count)) : isLookup ? t.asked : t.nothing}
      </td>
      <td data-label={t.lastLoad}>{loadedAt === null ? "–" : date(loadedAt)}</td>
      <td data-label={t.refresh}>{count > 0 && !isLookup ? <Refresh at={state.refresh_at} /> : "–"}</td>
    </tr>
  );
}

function Refresh({ at }: { at: string | null }) {
  const t = useText(statusTexts);
  const { date } = useFormats();
  if (at === null) return t.never;
  return Date.parse(at) < Date.now() ? t.due : date(at);
}
