// A table that becomes a list of cards if the window is too narrow, and its pagination.
import { Button, UnstyledButton } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { adminTexts } from "../texts";
import styles from "./DataTable.module.css";

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** A shorter header for a card. */
  cardHeader?: string;
  /** The sort key of a sortable column; see `sort`. */
  sortBy?: string;
  isNumber?: boolean;
  /** Shown without its header on a card. */
  isTitle?: boolean;
}

export interface Sorting {
  /** `label`, or `-label` for descending order. */
  by: string;
  change: (by: string) => void;
}

export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowId,
  sorting,
  isPending = false,
  isCompact = false,
  layout,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string | number;
  sorting?: Sorting;
  /** Whether newer rows are loading. */
  isPending?: boolean;
  /** For few short columns: a table at every width, which scrolls above a maximum height. */
  isCompact?: boolean;
  /** The class of a table that lays out its own cells, by `data-column`. */
  layout?: string | undefined;
}) {
  return (
    <section
      className={layout ?? (isCompact ? styles.compact : styles.frame)}
      aria-label={caption}
      aria-busy={isPending}
      tabIndex={0}
    >
      {/* Explicit roles, since a browser does not treat cards as a table. */}
      <table className={styles.table} role="table">
        <caption className="lp-visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Header key={column.id} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowId(row)} role="row">
              {columns.map((column) => (
                <td
                  key={column.id}
                  role="cell"
                  className={styles[column.id]}
                  data-column={column.id}
                  data-number={column.isNumber || undefined}
                  data-title={column.isTitle || undefined}
                  data-header={column.cardHeader ?? column.header}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Header<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting | undefined }) {
  const { sortBy, header, isNumber } = column;
  if (sortBy === undefined || sorting === undefined) {
    return (
      <th scope="col" role="columnheader" data-column={column.id} data-number={isNumber || undefined}>
        {header}
      </th>
    );
  }
  const isAscending = sorting.by === sortBy;
  const isDescending = sorting.by === `-${sortBy}`;
  const direction = isAscending ? "ascending" : isDescending ? "descending" : "none";
  // Numbers and dates start in descending order, texts in ascending order.
  const first = isNumber || sortBy.endsWith("_at") ? `-${sortBy}` : sortBy;
  const other = first === sortBy ? `-${sortBy}` : sortBy;
  return (
    <th
      scope="col"
      role="columnheader"
      aria-sort={direction}
      data-column={column.id}
      data-number={isNumber || undefined}
    >
      <UnstyledButton
        className={styles.sort}
        onClick={() => sorting.change(sorting.by === first ? other : first)}
        data-active={isAscending || isDescending || undefined}
      >
        {header}
        <span className={styles.arrow}>
          <Icon name={isAscending ? "up" : "down"} size={14} />
        </span>
      </UnstyledButton>
    </th>
  );
}

/** A position in a list of pages. The cursors of the previous pages are kept, to go back. */
export interface Cursor {
  current: string | null;
  page: number;
  next: (cursor: string) => void;
  previous: () => void;
}

/** The place in a list. It is the first page again when what the list shows changes. */
export function useCursor(shown: string): Cursor {
  const [kept, keep] = useState({ shown, visited: FIRST_PAGE });
  const visited = kept.shown === shown ? kept.visited : FIRST_PAGE;
  return {
    current: visited[visited.length - 1] ?? null,
    page: visited.length,
    next: (cursor) => keep({ shown, visited: [...visited, cursor] }),
    previous: () => visited.length > 1 && keep({ shown, visited: visited.slice(0, -1) }),
  };
}

const FIRST_PAGE: readonly (string | null)[] = [null];

export function Pager({ cursor, next }: { cursor: Cursor; next: string | null }) {
  const t = useText(adminTexts);
  if (cursor.page === 1 && next === null) return null;
  return (
    <nav className={styles.pager} aria-label={t.page(cursor.page)}>
      <Button
        variant="default"
        size="xs"
        disabled={cursor.page === 1}
        onClick={cursor.previous}
        leftSection={<Icon name="left" size={16} />}
      >
        {t.previous}
      </Button>
      <span aria-live="polite">{t.page(cursor.page)}</span>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        onClick={() => next !== null && cursor.next(next)}
        rightSection={<Icon name="right" size={16} />}
      >
        {t.next}
      </Button>
    </nav>
  );
}
