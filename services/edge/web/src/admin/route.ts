// The section and its selections are in the fragment of the address, so that links can be shared.
import { useCallback, useMemo, useSyncExternalStore } from "react";

export const SECTIONS = ["keys", "usage", "partners", "plans", "audit", "team"] as const;
export type Section = (typeof SECTIONS)[number];

export interface Route {
  section: Section;
  params: URLSearchParams;
  /** Changes selections of the section; null removes one. */
  setParams: (changes: Record<string, string | null>) => void;
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [section, params] = useMemo(() => parse(hash), [hash]);
  const setParams = useCallback((changes: Record<string, string | null>) => {
    const [here, before] = parse(location.hash);
    for (const [name, value] of Object.entries(changes)) {
      if (value) before.set(name, value);
      else before.delete(name);
    }
    history.replaceState(null, "", address(here, before));
    dispatchEvent(new HashChangeEvent("hashchange"));
  }, []);
  return { section, params, setParams };
}

export function address(section: Section, params: URLSearchParams | Record<string, string> = {}): string {
  const text = new URLSearchParams(params).toString();
  return `#/${section}${text && `?${text}`}`;
}

function parse(hash: string): [Section, URLSearchParams] {
  const [path = "", text = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return [SECTIONS.find((each) => each === path) ?? "keys", new URLSearchParams(text)];
}

function subscribe(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}
