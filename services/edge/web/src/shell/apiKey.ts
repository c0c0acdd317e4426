// The partner's API key, in the memory of the document only: it is neither stored nor part of an address.
//
// A page of the same service that opened this one may hand a key over, as the admin page does for a new key.
import { useSyncExternalStore } from "react";

const WANTED = "landpartner.key-wanted";

let key = "";
const listeners = new Set<() => void>();

export function setApiKey(next: string): void {
  key = next;
  for (const changed of listeners) changed();
}

export function hasApiKey(): boolean {
  return key !== "";
}

export function useApiKey(): string {
  return useSyncExternalStore(subscribe, () => key);
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Asks the page that opened this one for a key. Only a page of the same origin can answer. */
export function askOpenerForKey(): void {
  const opener: Window | null = window.opener;
  if (opener === null) return;
  addEventListener("message", ({ origin, source, data }: MessageEvent<unknown>) => {
    if (origin === location.origin && source === opener && typeof data === "string") setApiKey(data);
  });
  opener.postMessage(WANTED, location.origin);
}

/** Opens a page with a key in a new tab, and hands the key over when the page asks for it. */
export function tryKey(secret: string, page = "/playground"): void {
  const opened = open(page);
  const answer = ({ origin, source, data }: MessageEvent<unknown>) => {
    if (opened === null || origin !== location.origin || source !== opened || data !== WANTED) return;
    removeEventListener("message", answer);
    opened.postMessage(secret, location.origin);
  };
  addEventListener("message", answer);
}
