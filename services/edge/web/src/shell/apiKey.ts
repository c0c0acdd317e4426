// The partner's API key, in the memory of the document only: it is neither stored nor part of an address. The browser keeps
// the test key of a visitor, which answers from the demo commune alone, for its day: each browser needs only one.
//
// A page of the same service that opened this one may hand a key over, as the admin page does for a new key.
import { useSyncExternalStore } from "react";

const WANTED = "landpartner.key-wanted";
const KEPT = "landpartner.visitor-key";

export interface VisitorKey {
  api_key: string;
  expires_at: string;
}

let key = keptKey()?.api_key ?? "";
const listeners = new Set<() => void>();

export function setApiKey(next: string): void {
  key = next;
  for (const changed of listeners) changed();
}

export function keepKey(visitors: VisitorKey): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify(visitors));
  } catch {
    // storage is disabled: the key lasts until the page is closed
  }
}

/** The test key that this browser keeps; null if there is none, or its day is over. */
export function keptKey(): VisitorKey | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null") as VisitorKey | null;
    return kept !== null && Date.now() < Date.parse(kept.expires_at) ? kept : null;
  } catch {
    return null; // storage is disabled
  }
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

/** Opens the playground with a key in a new tab, and hands the key over when it asks for it. */
export function tryKey(secret: string): void {
  const opened = open("/playground");
  const answer = ({ origin, source, data }: MessageEvent<unknown>) => {
    if (opened === null || origin !== location.origin || source !== opened || data !== WANTED) return;
    removeEventListener("message", answer);
    opened.postMessage(secret, location.origin);
  };
  addEventListener("message", answer);
}
