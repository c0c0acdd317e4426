import { useLayoutEffect, useState } from "react";

/** Returns the focus to the previous element when a component such as a dialog unmounts. */
export function useFocusReturn(): void {
  const [asked] = useState(() => openerOf(document.activeElement));
  useLayoutEffect(() => {
    // A dialog that replaces another one uses the element to which that one has just returned the focus.
    const opener = asked?.isConnected ? asked : document.activeElement;
    return () => {
      const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
      (isThere ? opener : document.getElementById("content"))?.focus();
    };
  }, [asked]);
}

/** The button of a menu, since the menu item will no longer exist; otherwise the element itself. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return menu ? document.getElementById(menu) : element;
}
