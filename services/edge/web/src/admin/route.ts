// The section and its selections are in the fragment of the address, so that links can be shared.
import { useCallback, useMemo } from "react";
import { decoded, fragment, useAddress } from "../shell/fragment";

export const SECTIONS = ["keys", "usage", "bills", "partners", "plans", "audit", "team", "settings"] as const;
export type Section = (typeof SECTIONS)[number];

export interface Route {
  section: Section;
  /** The item of the section that has a page of its own, such as the id of a key. */
  item: string | null;
  params: URLSearchParams;
  /** Changes selections of the section; null removes one. */
  setParams: (changes: Record<string, string | null>) => void;
}

export function useRoute(): Route {
  const hash = useAddress(fragment);
  const [section, item, params] = useMemo(() => parse(hash), [hash]);
  const setParams = useCallback((changes: Record<string, string | null>) => {
    const [here, opened, before] = parse(location.hash);
    for (const [name, value] of Object.entries(changes)) {
      if (value) before.set(name, value);
      else before.delete(name);
    }
    history.replaceState(null, "", address(here, before, opened));
    dispatchEvent(new HashChangeEvent("hashchange"));
  }, []);
  return { section, item, params, setParams };
}

export function address(
  section: Section,
  params: URLSearchParams | Record<string, string> = {},
  item: string | null = null,
): string {
  const text = new URLSearchParams(params).toString();
  return `#/${section}${item === null ? "" : `/${encodeURIComponent(item)}`}${text && `?${text}`}`;
}

/** The link of an invitation. The token is in the fragment, which browsers do not send. */
export function invitationLink(token: string): string {
  return `${location.origin}${location.pathname}${INVITATION}${token}`;
}

/** The token of the invitation that the page's address is the link of. */
export function useInvitationToken(): string | null {
  const hash = useAddress(fragment);
  return hash.startsWith(INVITATION) ? hash.slice(INVITATION.length) || null : null;
}

/** Replaces the link in the address and the history. */
export function leaveInvitation(): void {
  history.replaceState(null, "", address("keys"));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

const INVITATION = "#/invitation/";

function parse(hash: string): [Section, string | null, URLSearchParams] {
  const [path = "", text = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", item = ""] = path.split("/", 2);
  return [SECTIONS.find((each) => each === name) ?? "keys", decoded(item) || null, new URLSearchParams(text)];
}
