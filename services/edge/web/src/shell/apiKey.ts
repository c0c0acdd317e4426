// The partner's API key, in the memory of the document only: it is neither stored nor part of an address. The browser keeps
// the test key of a visitor until its tab is closed: it answers from the demo commune alone, for a day.
//
// A page of the same service that opened this one may hand a key over, as the admin page does for a new key.
import { useSyncExternalStore } from "react";

const WANTED = "landpartner.key-wanted";
const KEPT = "landpartner.visitor-key";

let key = keptKey();
const listeners = new Set<() => void>();

/** Replaces the key. `expiresAt` is that of a visitor's key. */
export function setApiKey(next: string, expiresAt?: string): void {
  key = next;
  try {
    if (expiresAt === undefined) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, JSON.stringify([next, expiresAt]));
  } catch {
    // storage is disabled: the key lasts until the page is closed
  }
  for (const changed of listeners) changed();
}

function keptKey(): string {
  try {
    const [kept, expiresAt] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]") as string[];
    return kept !== undefined && Date.now() < Date.parse(expiresAt ?? "") ? kept : "";
  } catch {
    return ""; // storage is disabled
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
