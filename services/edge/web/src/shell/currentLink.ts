// The current link of a navigation that scrolls.
import { type RefObject, useEffect, useRef } from "react";

/** Keeps the link with aria-current in sight, when another becomes current and when the size of the navigation changes. */
export function useCurrentInSight(current: string): RefObject<HTMLElement | null> {
  const navigation = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each current link
  useEffect(() => {
    const element = navigation.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => centre(element)); // observe() calls it, too
    observer.observe(element);
    return () => observer.disconnect();
  }, [current]);
  return navigation;
}

/** Scrolls only the navigation, and only if it hides a part of the link. */
function centre(navigation: HTMLElement): void {
  const link = navigation.querySelector("[aria-current]")?.getBoundingClientRect();
  const { left, top, width, height } = navigation.getBoundingClientRect();
  if (link === undefined) return;
  if (link.left >= left && link.top >= top && link.right <= left + width && link.bottom <= top + height) return;
  navigation.scrollBy(link.left + link.width / 2 - left - width / 2, link.top + link.height / 2 - top - height / 2);
}
