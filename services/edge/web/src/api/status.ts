import { useQuery } from "@tanstack/react-query";
import { request } from "./client";
import type { Status } from "./types";

const REFRESH_MS = 30_000;

/** The state of the service, which needs no key. */
export function useStatus() {
  return useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => request<Status>("/api/v1/status", { signal }),
    refetchInterval: REFRESH_MS,
  });
}
