// The audit log in words, newest entry first. keys writes the sentences in the language of the page.
import { Select } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AuditEntry, ListPage } from "../../api/types";
import { todayInParis, useFormats } from "../../shell/format";
import { translations, useLanguage, useText } from "../../shell/language";
import { Empty } from "../../shell/states";
import { query } from "../client";
import { type Column, Pager, useCursor } from "../components/DataTable";
import { Panel, Section, Toolbar } from "../components/elements";
import { SearchField } from "../components/fields";
import { LoadedTable, useRead } from "../components/loaded";
import { address, useRoute } from "../route";
import { adminTexts } from "../texts";
import { CsvMenu } from "../usage/CsvMenu";
import styles from "./AuditSection.module.css";
import plain from "./texts.json";

const texts = translations(plain);

const NEWEST = 20;
const FILTERS = ["subject", "actor", "action", "from", "to"] as const;

export function AuditSection() {
  const t = useText(texts);
  const { params } = useRoute();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, params.get(name)]));
  return (
    <Section
      title={t.title}
      intro={t.intro}
      actions={<CsvMenu filters={filters} tables={["audit"]} period={todayInParis()} />}
    >
      <Toolbar>
        <FilterField name="subject" label={t.subject} placeholder={t.subjectNote} />
        <FilterField name="actor" label={t.actor} placeholder={t.actorNote} />
        <KindFilter />
        <FilterField name="from" label={t.from} type="date" />
        <FilterField name="to" label={t.to} type="date" />
      </Toolbar>
      <Entries filters={filters} />
    </Section>
  );
}

function FilterField({
  name,
  label,
  placeholder,
  type,
}: {
  name: (typeof FILTERS)[number];
  label: string;
  placeholder?: string;
  type?: "date";
}) {
  const { params, setParams } = useRoute();
  return (
    <SearchField
      type={type}
      label={label}
      placeholder={placeholder}
      value={params.get(name) ?? ""}
      onSearch={(text) => setParams({ [name]: text })}
    />
  );
}

/** Filters by the first part of the action. */
function KindFilter() {
  const t = useText(texts);
  const a = useText(adminTexts);
  const { params, setParams } = useRoute();
  return (
    <Select
      label={t.kind}
      placeholder={a.all}
      clearable
      data={Object.entries(t.kinds).map(([value, label]) => ({ value, label }))}
      value={params.get("action")}
      onChange={(action) => setParams({ action })}
    />
  );
}

function Entries({ filters }: { filters: Record<string, string | null> }) {
  const cursor = useCursor(query(filters));
  const entries = useAuditEntries({ ...filters, limit: 50, cursor: cursor.current });
  return <AuditTable of={entries} below={({ next_cursor: next }) => <Pager cursor={cursor} next={next} />} />;
}

/** Entries in the language of the page. */
function useAuditEntries(filters: Record<string, string | number | null>) {
  const { language } = useLanguage();
  const path = `/audit${query(filters)}`;
  return useRead<ListPage<AuditEntry>>(path, { keeps: true, queryKey: [path, language] });
}

/** The newest entries about a key or partner, and a link to all. */
export function AuditPanel({ subject }: { subject: string }) {
  const t = useText(texts);
  const entries = useAuditEntries({ subject, limit: NEWEST });
  return (
    <Panel title={t.title} actions={<a href={address("audit", { subject })}>{t.all}</a>}>
      <AuditTable of={entries} />
    </Panel>
  );
}

function AuditTable({
  of,
  below,
}: {
  of: UseQueryResult<ListPage<AuditEntry>>;
  below?: (list: ListPage<AuditEntry>) => ReactNode;
}) {
  const t = useText(texts);
  const columns = useColumns();
  const empty = <Empty title={t.empty}>{t.emptyDetail}</Empty>;
  const more = below ? { below } : {};
  return <LoadedTable {...{ of, empty, columns, ...more }} caption={t.title} rowId={(entry) => entry.id} />;
}

function useColumns(): Column<AuditEntry>[] {
  const t = useText(texts);
  const f = useFormats();
  return [
    { id: "date", header: t.at, cell: (entry) => f.instant(entry.occurred_at) },
    {
      id: "action",
      header: t.what,
      cell: ({ subject, summary }) => (subject ? <a href={address("audit", { subject })}>{summary}</a> : summary),
      isTitle: true,
    },
    { id: "changes", header: t.changes, cell: (entry) => <Details details={entry.details} /> },
    { id: "from", header: t.address, cell: (entry) => entry.client_address ?? "–" },
  ];
}

/** One value stands in the line of its entry; several are folded, so that each entry is one line. */
function Details({ details }: { details: AuditEntry["details"] }) {
  const t = useText(texts);
  if (details.length === 0) return "–";
  if (details.length === 1) return <Values details={details} />;
  return (
    <details>
      <summary>{t.values(details.length)}</summary>
      <div className={styles.changes}>
        <Values details={details} />
      </div>
    </details>
  );
}

function Values({ details }: { details: AuditEntry["details"] }) {
  const { language } = useLanguage();
  return (
    <>
      {details.map((each) => (
        <span key={each.name}>
          <span className={styles.member}>
            {each.label}
            {language === "fr" ? "\u00a0:" : ":"}
          </span>{" "}
          {each.old !== null && (
            <>
              <del>
                <bdi>{each.old}</bdi>
              </del>{" "}
              →{" "}
            </>
          )}
          <bdi>{each.new}</bdi>
        </span>
      ))}
    </>
  );
}
