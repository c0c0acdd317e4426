// The home page: three doors, a division, and the state of the service. It needs no key.
import { useHomeSample } from "../api/homeSample";
import { useStatus } from "../api/status";
import type { CheckStatus } from "../api/types";
import { drawingOfUnit, lotColor } from "../playground/map/drawing";
import { Plan } from "../playground/map/Plan";
import { mapTexts } from "../playground/map/texts";
import { viewTexts } from "../playground/views/texts";
import { VERDICT_TONES } from "../playground/views/verdicts";
import { useFormats } from "../shell/format";
import { Icon, type IconName } from "../shell/icons";
import { useText } from "../shell/language";
import { Page } from "../shell/Page";
import { Badge, ErrorNotice, FactRows, Loading } from "../shell/states";
import { shellTexts } from "../shell/texts";
import { usePageTitle } from "../shell/title";
import styles from "./home.module.css";
import { homeTexts } from "./texts";
import { VisitorKey } from "./VisitorKey";

export default function Home() {
  const t = useText(homeTexts);
  const names = useText(shellTexts);
  usePageTitle();
  return (
    <Page current={null}>
      <div className={styles.home}>
        <header>
          <h1>{t.title}</h1>
          <p className={styles.lead}>{t.intro}</p>
        </header>
        <Doors />
        <div className={styles.columns}>
          <Sample />
          <State />
        </div>
        <p className={styles.detail}>
          {t.forTeam} <a href="/admin">{names.admin}</a>
        </p>
      </div>
    </Page>
  );
}

function Doors() {
  const t = useText(homeTexts);
  const names = useText(shellTexts);
  const doors = [
    ["/terrain", "right", names.terrain, t.terrainDoor, t.terrainDetail],
    ["/api/docs/public", "info", names.reference, t.docsDoor, t.docsDetail],
  ] as const satisfies readonly (readonly [string, IconName, string, string, string])[];
  return (
    <nav aria-label={t.doors} className={styles.doors}>
      {doors.map(([address, icon, name, verb, detail]) => (
        <a key={address} href={address} className={styles.door}>
          <span className={styles.verb}>
            <Icon name={icon} /> {verb}
          </span>
          <strong>{name}</strong>
          <span className={styles.detail}>{detail}</span>
        </a>
      ))}
    </nav>
  );
}

function Sample() {
  const t = useText(homeTexts);
  const views = useText(viewTexts);
  const maps = useText(mapTexts);
  const { number } = useFormats();
  const { data, error, refetch } = useHomeSample();
  const division = data?.division;
  const proposal = division?.quick_assessment?.proposals[0] ?? null;
  const assessment = division?.quick_assessment;
  const count = (...statuses: CheckStatus[]) =>
    assessment?.checks.filter(({ status }) => statuses.includes(status)).length ?? 0;
  const lots = proposal?.lots.features ?? [];
  return (
    <section className={styles.card} aria-labelledby="sample">
      <h2 id="sample">{t.sample}</h2>
      <p className={styles.detail}>{data?.parcel_id ? t.chosenDetail(data.parcel_id) : t.sampleDetail}</p>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {division?.context && (
        <div className={styles.sample}>
          <Plan drawing={drawingOfUnit(division.context, proposal)} label={t.drawn(lots.length)} />
          <div>
            {assessment && (
              <>
                <p className={styles.verdict}>
                  <Badge tone={VERDICT_TONES[assessment.verdict] ?? "neutral"}>
                    {views.named(views.verdict, views.verdicts[assessment.verdict] ?? assessment.verdict)}
                  </Badge>
                </p>
                <p className={styles.summary}>{t.checks(count("pass"), count("fail", "warn"), count("unknown"))}</p>
              </>
            )}
            <ul className={styles.legend}>
              {lots.map(({ id, properties: lot }, index) => (
                <li key={id}>
                  <span style={{ background: lotColor(index) }} aria-hidden="true" />
                  {t.lot(String(id), number(lot.area_m2), number(lot.frontage_m), number(lot.buildable_area_m2))}
                </li>
              ))}
              <li>
                <span data-kind="frontage" aria-hidden="true" />
                {maps.frontage}
              </li>
              <li>
                <span data-kind="envelope" aria-hidden="true" />
                {maps.envelope}
              </li>
            </ul>
            <p className={styles.detail}>{t.sources(division.context.features[0]?.properties.sources.length ?? 0)}</p>
            <a href="/terrain">{t.seeWhole}</a>
          </div>
        </div>
      )}
    </section>
  );
}

function State() {
  const t = useText(homeTexts);
  const { data, error, refetch } = useStatus();
  const names: Readonly<Record<string, string>> = t.dependencies;
  return (
    <div className={styles.aside}>
      {data?.gives_visitor_keys && <VisitorKey />}
      <section className={styles.card} aria-labelledby="state">
        <h2 id="state">{t.state}</h2>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Loading />}
        {data && (
          <>
            <p className={styles.summary}>
              <Badge tone={data.status === "ok" ? "success" : "warning"}>
                {data.status === "ok" ? t.ok : t.degraded}
              </Badge>
            </p>
            <dl className={styles.parts}>
              <FactRows
                facts={data.services.map(({ name, status }) => [names[name] ?? name, status === "ok" ? t.up : t.down])}
              />
            </dl>
          </>
        )}
      </section>
    </div>
  );
}
