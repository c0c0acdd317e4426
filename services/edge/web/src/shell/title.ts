import { useEffect } from "react";
import { useText } from "./language";
import { shellTexts } from "./texts";

/** Sets the title of the document, such as "Resolve an address · Playground · Land for partners". */
export function usePageTitle(...parts: readonly string[]): void {
  const { product } = useText(shellTexts);
  const title = [...parts, product].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
