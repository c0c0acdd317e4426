// The reference: the operations of an API description, one at a time. The fragment of the address names it, such as
// #/consumer/divideLand; #/ lists all.
import { useMemo } from "react";
import { useDescription } from "../../api/description";
import { useCurrentInSight } from "../../shell/currentLink";
import { fragment, useAddress } from "../../shell/fragment";
import { useText } from "../../shell/language";
import { Empty, ErrorNotice, Loading, onDemand } from "../../shell/states";
import { type Entry, entriesOf, grouped, schemasOf } from "./description";
import { Method, Prose } from "./Prose";
import styles from "./reference.module.css";
import { referenceTexts } from "./texts";

const OperationPage = onDemand(() => import("./OperationPage"));

export default function Reference({ description: address }: { description: string }) {
  const t = useText(referenceTexts);
  const { data, error, refetch } = useDescription(address);
  const current = useAddress(fragment);
  const groups = useMemo(() => data && grouped(entriesOf(data)), [data]);
  if (data === undefined || groups === undefined) {
    return error === null ? <Loading /> : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  }
  const isList = current === "" || current === "#/";
  const chosen = groups.flatMap(([, entries]) => entries).find((each) => each.address === current);
  return (
    <div className={styles.columns}>
      <Navigation groups={groups} current={current} />
      <div className={styles.operation}>
        {chosen && <OperationPage key={chosen.address} entry={chosen} schemas={schemasOf(data)} />}
        {!chosen && !isList && <Empty icon="search" title={t.unknown} action={<a href="#/">{t.all}</a>} />}
        {isList && (
          <>
            <Prose text={data.info?.description ?? ""} />
            <List groups={groups} />
          </>
        )}
      </div>
    </div>
  );
}

type Grouped = readonly [group: string, entries: readonly Entry[]][];

function Navigation({ groups, current }: { groups: Grouped; current: string }) {
  const t = useText(referenceTexts);
  const title = useGroupTitle();
  const navigation = useCurrentInSight(current);
  return (
    <nav ref={navigation} className={styles.contents} aria-label={t.operations}>
      {groups.map(([group, entries]) => (
        <section key={group} aria-label={title(group)}>
          <p className={styles.group}>{title(group)}</p>
          <ul>
            {entries.map(({ address, operation }) => (
              <li key={address}>
                <a href={address} aria-current={address === current ? "page" : undefined}>
                  {operation.summary}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function List({ groups }: { groups: Grouped }) {
  const title = useGroupTitle();
  return groups.map(([group, entries]) => (
    <section key={group} aria-label={title(group)}>
      <h2>{title(group)}</h2>
      <ul className={styles.list}>
        {entries.map(({ address, method, path, operation }) => (
          <li key={address}>
            <a href={address}>{operation.summary}</a>
            <span className={styles.path}>
              <Method name={method} /> <code>{path}</code>
            </span>
          </li>
        ))}
      </ul>
    </section>
  ));
}

function useGroupTitle(): (group: string) => string {
  const t = useText(referenceTexts);
  const titles: Readonly<Record<string, string>> = t.groups;
  return (group) => titles[group] ?? (group.startsWith("admin/") ? t.admin(group.slice("admin/".length)) : group);
}
