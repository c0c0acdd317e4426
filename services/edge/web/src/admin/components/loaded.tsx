// What the admin page reads, and its states: loading, failed, empty.
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loading } from "../../shell/states";
import { call } from "../client";
import { type Column, DataTable, type Sorting } from "./DataTable";
import { RequestError } from "./elements";

interface Options {
  keeps?: boolean;
  timeoutMs?: number;
  queryKey?: readonly string[];
  enabled?: boolean;
}

/** The answer of a route under /admin. With `keeps`, the last answer stays until the next one arrives. */
export function useRead<T>(path: string, options: Options = {}): UseQueryResult<T> {
  const { keeps = false, timeoutMs, queryKey = [path], enabled = true } = options;
  const time = timeoutMs === undefined ? {} : { timeoutMs };
  return useQuery<T>({
    queryKey,
    queryFn: ({ signal }) => call<T>(path, { signal, ...time }),
    enabled,
    ...(keeps ? { placeholderData: keepPreviousData } : {}),
  });
}

export function Loaded<T>({ of, children }: { of: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  return (
    <>
      {of.isError && <RequestError error={of.error} onRetry={() => void of.refetch()} />}
      {of.isPending && <Loading />}
      {of.data !== undefined && children(of.data)}
    </>
  );
}

/** A list as a table, or `empty`. */
export function LoadedTable<Row, List extends { items: readonly Row[] }>({
  of,
  empty,
  above,
  below,
  ...table
}: {
  of: UseQueryResult<List>;
  empty: ReactNode;
  above?: (list: List) => ReactNode;
  below?: (list: List) => ReactNode;
  caption: string;
  columns: readonly Column<Row>[];
  rowId: (row: Row) => string | number;
  sorting?: Sorting;
  isCompact?: boolean;
  layout?: string | undefined;
}) {
  return (
    <Loaded of={of}>
      {(list) =>
        list.items.length === 0 ? (
          empty
        ) : (
          <div>
            {above?.(list)}
            <DataTable rows={list.items} isPending={of.isPlaceholderData} {...table} />
            {below?.(list)}
          </div>
        )
      }
    </Loaded>
  );
}
