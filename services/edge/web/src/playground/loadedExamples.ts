// Example addresses of communes that are loaded on this service. They need a key, as every answer about land.
import { useQuery } from "@tanstack/react-query";
import { request } from "../api/client";
import type { CoverageAnswer, SuggestAnswer } from "../api/types";
import { takesParcels } from "./requests";

const COMMUNES = 3;
const DATASETS_READ = 200;
const FIRST_WORDS = "1 rue";
/** An INSEE code, but not of the demo commune, which has examples already. */
const COMMUNE = /^(?!00)\d[\dAB]\d{3}$/;
const NOTHING: readonly string[] = [];

/** One address in each of the first communes; none after a failure. `isWanted` starts the requests. */
export function useLoadedAddresses(apiKey: string, isWanted: boolean): readonly string[] {
  const { data } = useQuery({
    queryKey: ["loaded addresses", apiKey],
    queryFn: ({ signal }) => loadedAddresses(apiKey, signal),
    enabled: isWanted && apiKey !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0, // its name holds the key
    retry: false,
    refetchInterval: false,
  });
  return data ?? NOTHING;
}

async function loadedAddresses(apiKey: string, signal: AbortSignal): Promise<string[]> {
  const ask = <T>(path: string, query: Record<string, string>) =>
    request<T>(`${path}?${new URLSearchParams(query)}`, { headers: { "x-api-key": apiKey }, signal });
  const { datasets } = await ask<CoverageAnswer>("/api/v1/coverage", { limit: String(DATASETS_READ) });
  const units = new Set(datasets.map(({ unit }) => unit));
  const communes = [...units].filter((unit) => COMMUNE.test(unit)).slice(0, COMMUNES);
  const found = communes.map(async (code) => {
    const query = { q: FIRST_WORDS, limit: "5", city_code: code };
    const { suggestions } = await ask<SuggestAnswer>("/api/v1/addresses/suggest", query);
    return suggestions.find(({ city_code, type }) => city_code === code && type === "housenumber")?.label ?? null;
  });
  return (await Promise.all(found)).filter((label) => label !== null);
}

/** A body that asks about an address; null if the request takes none. */
export function bodyOfAddress(name: string, label: string): object | null {
  if (name === "resolve") return { label };
  return takesParcels(name) ? { address: { label } } : null;
}
