// The list of keys, with search and filters.
import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { KEY_STATUSES, type KeyPage } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Empty, Notice } from "../../shell/states";
import { query } from "../client";
import { Pager, useCursor } from "../components/DataTable";
import { Section, Toolbar } from "../components/elements";
import { PartnerFilter, SearchField, SortField } from "../components/fields";
import { LoadedTable, useRead } from "../components/loaded";
import { useRoute } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import styles from "./KeysSection.module.css";
import { useActionColumn, useKeyColumns } from "./KeysTable";
import tableStyles from "./KeysTable.module.css";
import { type KeyTask, KeyTaskDialog } from "./KeyTaskDialog";
import { keyTexts } from "./texts";

const PAGE = 50;
const NEWEST = "-created_at";

export function KeysSection() {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const mayChange = useHasRole("operator");
  const { params, setParams } = useRoute();
  const [task, setTask] = useState<KeyTask | null>(null);

  const filters = { q: params.get("q"), status: params.get("status"), partner: params.get("partner") };
  const sort = params.get("sort") ?? NEWEST;
  const isFiltered = Object.values(filters).some(Boolean);
  const cursor = useCursor(query({ ...filters, sort }));
  const path = `/api-keys${query({ ...filters, sort, limit: PAGE, cursor: cursor.current })}`;
  const keys = useRead<KeyPage>(path, { keeps: true });
  const columns = [...useKeyColumns(), useActionColumn(setTask, mayChange)];
  const newKey = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setTask({ kind: "create" })}>
      {t.newKey}
    </Button>
  );
  return (
    <Section title={t.title} intro={t.intro} actions={newKey}>
      {!mayChange && <Notice>{a.readOnly}</Notice>}
      <Toolbar>
        <SearchField placeholder={t.searchNote} value={filters.q ?? ""} onSearch={(q) => setParams({ q })} />
        <Select
          label={a.status}
          data={[
            { value: "", label: a.all },
            ...KEY_STATUSES.map((each) => ({ value: each, label: t.statuses[each] })),
          ]}
          value={filters.status ?? ""}
          allowDeselect={false}
          onChange={(status) => setParams({ status })}
        />
        <PartnerFilter value={filters.partner} onChange={(partner) => setParams({ partner })} />
        <SortField sorts={t.sorts} sort={sort} />
      </Toolbar>
      <LoadedTable
        of={keys}
        empty={
          <Empty
            icon={isFiltered ? "search" : "key"}
            title={isFiltered ? t.noMatch : t.empty}
            action={
              isFiltered ? (
                <Button variant="default" onClick={() => setParams({ q: null, status: null, partner: null })}>
                  {t.clearFilters}
                </Button>
              ) : (
                newKey
              )
            }
          >
            {isFiltered ? t.noMatchDetail : t.emptyDetail}
          </Empty>
        }
        above={({ total }) => (
          <p className={styles.count} role="status">
            {t.count(total, f.number(total))}
          </p>
        )}
        below={({ next_cursor: next }) => <Pager cursor={cursor} next={next} />}
        caption={t.title}
        columns={columns}
        rowId={(key) => key.id}
        sorting={{ by: sort, change: (by) => setParams({ sort: by }) }}
        layout={tableStyles.table}
      />
      {task && <KeyTaskDialog task={task} start={setTask} />}
    </Section>
  );
}
