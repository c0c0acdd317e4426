// Shared components of the views: sections, facts, tables, values with units, and the lists at the end of an answer.
import { Table } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import type { Source, Warning } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import styles from "./components.module.css";
import { viewTexts } from "./texts";

export function Section({ title, aside, children }: { title: string | null; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section}>
      {title !== null && (
        <header className={styles.sectionHeader}>
          <h3>{title}</h3>
          {aside}
        </header>
      )}
      {children}
    </section>
  );
}

/** A value that needs a line of its own: it has a long word, or is a long text. */
const LONG = /\S{20}|.{41}/;

/** Names and values; null is shown as unknown. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  const t = useText(viewTexts);
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name} data-long={(typeof value === "string" && LONG.test(value)) || undefined}>
          <dt>{name}</dt>
          <dd>{value ?? <span className={styles.unknown}>{t.unknown}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface Column<T> {
  title: string;
  isNumber?: boolean;
  /** Whether the value stays on one line, such as a date. */
  isCompact?: boolean;
  cell: (row: T) => ReactNode;
}

/** A table that scrolls horizontally in its frame. `rowKey` gives the React key of a row. */
export function DataTable<T>({
  label,
  columns,
  rows,
  rowKey,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T, index: number) => string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.scroller} aria-label={label} tabIndex={0}>
      <Table verticalSpacing={6} horizontalSpacing="sm" striped withRowBorders={false}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, isNumber }) => (
              <Table.Th key={title} data-number={isNumber || undefined}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr key={rowKey(row, index)}>
              {columns.map(({ title, isNumber, isCompact, cell }) => (
                <Table.Td key={title} data-number={isNumber || undefined} data-compact={isCompact || undefined}>
                  {cell(row) ?? <span className={styles.dash}>–</span>}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

export function EmptyNote({ children }: { children: ReactNode }) {
  return <p className={styles.nothing}>{children}</p>;
}

/** The warnings; those about datasets are one line that unfolds. */
export function Warnings({ warnings }: { warnings: readonly Warning[] | undefined }) {
  const t = useText(viewTexts);
  if (!warnings?.length) return null;
  const ofDatasets = warnings.filter(({ dataset }) => dataset !== undefined);
  const others = warnings.filter(({ dataset }) => dataset === undefined);
  return (
    <Notice tone="warning">
      <strong>{t.warnings}</strong>
      <WarningList warnings={others} />
      {ofDatasets.length > 0 && (
        <details>
          <summary>{t.datasetsMissing(new Set(ofDatasets.map(({ dataset }) => dataset)).size)}</summary>
          <WarningList warnings={ofDatasets} />
        </details>
      )}
    </Notice>
  );
}

function WarningList({ warnings }: { warnings: readonly Warning[] }) {
  return (
    <ul className={styles.warnings}>
      {[...new Set(warnings.map(({ detail }) => detail))].map((detail) => (
        <li key={detail}>{detail}</li>
      ))}
    </ul>
  );
}

export function Sources({ sources }: { sources: readonly Source[] | undefined }) {
  const t = useText(viewTexts);
  if (!sources?.length) return null;
  const named = new Map(sources.map((source) => [`${source.dataset} ${source.edition}`, source]));
  return (
    <Section title={t.sources}>
      <ul className={styles.sources}>
        {[...named].map(([name, source]) => (
          <li key={name}>
            <SafeLink address={source.url}>{source.dataset}</SafeLink>, {t.edition}{" "}
            {source.edition.replace("unknown", t.unknownEdition)}. {source.publisher}. {source.licence}.
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A link if the address is http or https; otherwise its text. */
export function SafeLink({ address, children }: { address: string | null | undefined; children: ReactNode }) {
  if (!address || !/^https?:\/\//i.test(address)) return <>{children}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

type Maybe<T> = T | null | undefined;

/** Values with units, formatted for the language of the page; null if the value is unknown. */
export interface Units {
  area: (value: Maybe<number>) => string | null;
  length: (value: Maybe<number>) => string | null;
  ratio: (value: Maybe<number>) => string | null;
  /** Of a value that is in percent already. */
  percent: (value: Maybe<number>) => string | null;
  euros: (value: Maybe<number>) => string | null;
  count: (value: Maybe<number>) => string | null;
  date: (value: unknown) => string | null;
  yesNo: (value: Maybe<boolean>) => string | null;
}

export function useUnits(): Units {
  const formats = useFormats();
  const t = useText(viewTexts);
  return useMemo(() => {
    const known =
      <T,>(write: (value: T) => string) =>
      (value: Maybe<T>) =>
        value === null || value === undefined ? null : write(value);
    const rounded = (value: number) => formats.number(Math.round(value * 10) / 10);
    return {
      area: known((value) => `${rounded(value)}\u00a0m²`),
      length: known((value) => `${rounded(value)}\u00a0m`),
      ratio: known((value) => formats.percent(value)),
      percent: known((value) => formats.percent(value / 100)),
      euros: known((value) => formats.money(String(value), "EUR").replace(/[.,]00(?=\D*$)/, "")),
      count: known((value) => formats.number(value)),
      date: (value) => (typeof value === "string" && value !== "" ? formats.date(value) : null),
      yesNo: known((value) => (value ? t.yes : t.no)),
    };
  }, [formats, t]);
}
