// The dictionary: every field, value and parameter of the API with its meaning, and a search. The address of an entry is
// its name in the fragment, such as #DvfSale.valeur_fonciere or #problem.rate_limited.
import { SegmentedControl, TextInput } from "@mantine/core";
import { memo, useDeferredValue, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { type Description, useDescription, useDictionary } from "../api/description";
import type { DictionaryAnswer } from "../api/types";
import { folded } from "../shell/folded";
import { useFormats } from "../shell/format";
import { decoded, fragment, useAddress } from "../shell/fragment";
import { Icon } from "../shell/icons";
import { useText } from "../shell/language";
import { Empty, ErrorNotice, Loading } from "../shell/states";
import styles from "./Dictionary.module.css";
import docs from "./docs.module.css";
import { Table } from "./Table";
import { dictionaryTexts } from "./texts";

const KINDS = ["fields", "values", "parameters"] as const;
type Kind = (typeof KINDS)[number];

interface Entry {
  /** Also the fragment of its address. */
  id: string;
  name: string;
  description: string;
  /** Other facts, by column. */
  facts: {
    type?: string;
    values?: string | null;
    status?: number | null;
    unit?: string | null;
    source?: string | null;
  };
  /** What the search looks through. */
  searched: string;
}

/** The entries of an object, of a group of values, or of an operation: one table. */
interface Group {
  /** The fragment of its address. A list of values and an operation may have the same name. */
  id: string;
  kind: Kind;
  name: string;
  description: string;
  entries: Entry[];
}

export default function Dictionary() {
  const t = useText(dictionaryTexts);
  const answer = useDictionary();
  const selected = decoded(useAddress(fragment).slice(1));
  const { data: description, isPending: isDescriptionPending } = useDescription();
  const groups = useMemo(
    () => answer.data && partnersOnly(groupsOf(answer.data, t.groups, t.units, t.sources), description, selected),
    [answer.data, description, selected, t],
  );
  return (
    <>
      <header className={docs.title}>
        <h1>{t.title}</h1>
        <p>{t.intro}</p>
      </header>
      {answer.isError && <ErrorNotice error={answer.error} onRetry={() => void answer.refetch()} />}
      {(answer.isPending || isDescriptionPending) && <Loading />}
      {groups && !isDescriptionPending && <Search groups={groups} />}
    </>
  );
}

function Search({ groups }: { groups: readonly Group[] }) {
  const t = useText(dictionaryTexts);
  const { number } = useFormats();
  const [text, setText] = useState("");
  const [kind, setKind] = useState<Kind | "all">("all");
  const field = useSlashKey();
  useEffect(() => document.getElementById("static")?.remove(), []);
  const found = useMemo(() => search(groups, text, kind), [groups, text, kind]);
  const shown = useDeferredValue(found);
  const selected = useSelected(() => {
    setText("");
    setKind("all");
  });
  const counts = KINDS.filter((each) => kind === "all" || kind === each).map((each) => {
    const count = found.reduce((sum, group) => sum + (group.kind === each ? group.entries.length : 0), 0);
    return t.counts[each](count, number(count));
  });
  return (
    <div className={styles.dictionary}>
      <search className={styles.controls}>
        <TextInput
          ref={field}
          className={styles.search}
          type="search"
          label={t.search}
          description={t.searchNote}
          leftSection={<Icon name="search" />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label={t.kind}
          value={kind}
          onChange={(value) => setKind(value as Kind | "all")}
          data={(["all", ...KINDS] as const).map((value) => ({ value, label: t.kinds[value] }))}
        />
      </search>
      <p className={styles.counts} role="status">
        {counts.join(", ")}
      </p>
      {found.length === 0 ? (
        <Empty icon="search" title={t.nothing}>
          {t.nothingDetail}
        </Empty>
      ) : (
        <div className={styles.columns}>
          <nav className={styles.contents} aria-label={t.contents}>
            <ul>
              {shown.map(({ id, name }) => (
                <li key={id}>
                  <a href={`#${id}`}>{name}</a>
                </li>
              ))}
            </ul>
          </nav>
          <div>
            {shown.map((group) => (
              <GroupTable
                key={group.id}
                group={group}
                selected={group.entries.some(({ id }) => id === selected) ? selected : null}
              />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

const FACTS = ["status", "unit", "source"] as const;

/** Memoized: a search re-renders only the groups that it changes. */
const GroupTable = memo(function GroupTable({ group, selected }: { group: Group; selected: string | null }) {
  const t = useText(dictionaryTexts);
  const { id, name, description, entries } = group;
  const columns = FACTS.filter((fact) => entries.some(({ facts }) => facts[fact] != null));
  return (
    <section id={id} className={styles.group} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <code>{name}</code> <span className={styles.size}>{entries.length}</span>
      </h2>
      {description && <p>{description}</p>}
      <Table isStacked head={[t.name, t.description, ...columns.map((column) => t[column])]}>
        {entries.map((entry) => (
          <tr key={entry.id} id={entry.id} aria-current={entry.id === selected ? "true" : undefined}>
            <td className={styles.name}>
              <a href={`#${entry.id}`}>
                <code>{entry.name}</code>
              </a>
              {entry.facts.type && <small>{entry.facts.type}</small>}
            </td>
            <td className={styles.description}>
              {entry.description}
              {entry.facts.values && (
                <>
                  {" "}
                  <a href={`#${entry.facts.values}`}>{t.values}</a>
                </>
              )}
            </td>
            {columns.map((column) => (
              <td key={column}>{entry.facts[column] ?? ""}</td>
            ))}
          </tr>
        ))}
      </Table>
    </section>
  );
});

type Labels = Readonly<Record<string, string>>;

/** One group per object, per list of values, and per operation. `labels` describe lists of values. */
function groupsOf(answer: DictionaryAnswer, labels: Labels, units: Labels, sources: Labels): Group[] {
  const groups = new Map<string, Group>();
  const add = (kind: Kind, group: string, about: string, entry: Omit<Entry, "id" | "searched">) => {
    const id = kind === "parameters" ? `parameters.${group}` : group;
    const found = groups.get(id) ?? { id, kind, name: group, description: about, entries: [] };
    groups.set(id, found);
    const searched = folded([group, about, entry.name, entry.description].join(" "));
    found.entries.push({ ...entry, id: `${group}.${entry.name}`, searched });
  };
  const objects = new Map(answer.objects.map(({ name, description }) => [name, description]));
  for (const { object, name, description, type, values, unit, source: id } of answer.fields) {
    const facts = { type, values, unit: unit && (units[unit] ?? unit), source: id && (sources[id] ?? id) };
    add("fields", object, objects.get(object) ?? "", { name, description, facts });
  }
  for (const { group, name, description, status } of answer.values) {
    add("values", group, labels[group] ?? "", { name, description, facts: { status } });
  }
  for (const { operation, name, description } of answer.parameters) {
    add("parameters", operation, "", { name, description, facts: {} });
  }
  return [...groups.values()];
}

/** The groups of the partners' endpoints, by kind, and the one that the address of the page names. */
function partnersOnly(groups: readonly Group[], description: Description | undefined, selected: string): Group[] {
  const operations = Object.values(description?.paths ?? {}).flatMap((methods) => Object.values(methods ?? {}));
  const names = new Set(operations.map((operation) => operation?.operationId ?? ""));
  for (const object of Object.keys(description?.components?.schemas ?? {})) names.add(object);
  const isShown = ({ id, name }: Group) => names.has(name) || selected === id || selected.startsWith(`${name}.`);
  const values = (isPartners: boolean) =>
    groups
      .filter((group) => isShown(group) === isPartners)
      .flatMap(({ entries }) => entries.map(({ facts }) => facts.values));
  const [partners, others] = [new Set(values(true)), new Set(values(false))];
  return groups
    .filter((group) => (group.kind === "values" ? partners.has(group.name) || !others.has(group.name) : isShown(group)))
    .toSorted((left, right) => KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind));
}

/** The entries that contain every word of the text. */
function search(groups: readonly Group[], text: string, kind: Kind | "all"): readonly Group[] {
  const words = folded(text).split(" ").filter(Boolean);
  const chosen = kind === "all" ? groups : groups.filter((group) => group.kind === kind);
  if (words.length === 0) return chosen;
  return chosen.flatMap((group) => {
    const entries = group.entries.filter(({ searched }) => words.every((word) => searched.includes(word)));
    if (entries.length === group.entries.length) return [group];
    return entries.length > 0 ? [{ ...group, entries }] : [];
  });
}

/** Focuses the field when the user types "/" outside a field. */
function useSlashKey() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  return field;
}

/** The entry in the fragment of the address, once scrolled to. `reveal` is called if a filter hides it. */
function useSelected(reveal: () => void): string {
  const id = decoded(useAddress(fragment).slice(1));
  const scrolledTo = useRef("");
  const find = useEffectEvent((wanted: string) => {
    if (document.getElementById(wanted) === null) reveal();
  });
  useEffect(() => find(id), [id]);
  useEffect(() => {
    const row = id === scrolledTo.current ? null : document.getElementById(id); // null until React has rendered it
    if (row === null) return;
    row.scrollIntoView();
    scrolledTo.current = id;
  });
  return id;
}
