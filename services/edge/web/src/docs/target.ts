// The part of a page that the fragment of its address names.
import { useEffect } from "react";

/** Scrolls to the target at first, and again when the content that may move it is complete. */
export function useTarget(isComplete = true): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the content is complete
  useEffect(() => {
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [isComplete]);
}
