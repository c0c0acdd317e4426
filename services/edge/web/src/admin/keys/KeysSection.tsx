// The list of keys, with search and filters.
import { Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { KEY_STATUSES, type KeyPage } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Empty, Loading, Notice } from "../../shell/states";
import { call, query } from "../client";
import { Pager, useCursor } from "../components/DataTable";
import { FILLS_WIDTH, RequestError, Section, Toolbar } from "../components/elements";
import { PartnerFilter, SearchField } from "../components/fields";
import { useRoute } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import styles from "./KeysSection.module.css";
import { KeysTable } from "./KeysTable";
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
  const wanted = query({ ...filters, sort, limit: PAGE, cursor: cursor.current });
  const keys = useQuery({
    queryKey: ["keys", wanted],
    queryFn: ({ signal }) => call<KeyPage>(`/api-keys${wanted}`, { signal }),
    placeholderData: (before) => before,
  });
  const newKey = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setTask({ kind: "create" })}>
      {t.newKey}
    </Button>
  );
  return (
    <Section title={t.title} intro={t.intro} actions={newKey}>
      {!mayChange && <Notice>{a.readOnly}</Notice>}
      <Toolbar>
        <SearchField
          className={FILLS_WIDTH}
          label={a.search}
          placeholder={t.searchNote}
          leftSection={<Icon name="search" />}
          value={filters.q ?? ""}
          onSearch={(q) => setParams({ q })}
        />
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
        <Select
          label={t.sortBy}
          data={Object.entries(t.sorts).map(([value, label]) => ({ value, label }))}
          value={sort in t.sorts ? sort : null}
          allowDeselect={false}
          onChange={(chosenSort) => setParams({ sort: chosenSort })}
        />
      </Toolbar>
      {keys.isError && <RequestError error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <Loading />}
      {keys.data && keys.data.items.length === 0 && (
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
      )}
      {keys.data && keys.data.items.length > 0 && (
        <div>
          <p className={styles.count} role="status">
            {t.count(keys.data.total, f.number(keys.data.total))}
          </p>
          <KeysTable
            keys={keys.data.items}
            sorting={{ by: sort, change: (by) => setParams({ sort: by }) }}
            isPending={keys.isPlaceholderData}
            mayChange={mayChange}
            start={setTask}
          />
          <Pager cursor={cursor} next={keys.data.next_cursor} />
        </div>
      )}
      {task && <KeyTaskDialog task={task} start={setTask} />}
    </Section>
  );
}
