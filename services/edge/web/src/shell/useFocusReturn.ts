import { useLayoutEffect, useState } from "react";

/** For what takes the focus while it is there, such as a dialog: gives it back to what had it before. */
export function useFocusReturn(): void {
  const [asked] = useState(() => openerOf(document.activeElement));
  useLayoutEffect(() => {
    // One dialog in place of another takes over what that one has just given back.
    const opener = asked?.isConnected ? asked : document.activeElement;
    return () => {
      const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
      (isThere ? opener : document.getElementById("content"))?.focus();
    };
  }, [asked]);
}

/** An item of a menu is gone by then; what opened the menu is not. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return menu ? document.getElementById(menu) : element;
}
