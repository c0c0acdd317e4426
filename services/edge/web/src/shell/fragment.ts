// The parts of the page's address that select what it shows, above all its fragment.
import { useSyncExternalStore } from "react";

/** What `read` returns for the current address. Follows changes of the fragment. */
export function useAddress<T extends string>(read: () => T): T {
  return useSyncExternalStore(subscribe, read);
}

export function fragment(): string {
  return location.hash;
}

/** The text itself where its escapes are malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function subscribe(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}
