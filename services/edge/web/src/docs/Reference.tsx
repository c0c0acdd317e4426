// The interactive reference: Swagger UI with one of the two API descriptions, loaded on demand.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useText } from "../shell/language";
import { Loading, Notice } from "../shell/states";
import { docsTexts } from "./texts";

const DARK_CLASS = "dark-mode"; // Swagger UI's class on the root element

export function Reference({ description }: { description: string }) {
  const t = useText(docsTexts);
  const scheme = useComputedColorScheme("light");
  const container = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");

  useEffect(() => {
    document.documentElement.classList.toggle(DARK_CLASS, scheme === "dark");
    return () => document.documentElement.classList.remove(DARK_CLASS);
  }, [scheme]);

  useEffect(() => {
    let isWanted = true;
    let remove = () => {};
    const show = async () => {
      try {
        const { showReference } = await import("./swagger");
        if (isWanted && container.current !== null)
          remove = showReference(container.current, description, (name) => t[name]);
        setState("shown");
      } catch {
        setState("failed"); // the chunk could not be fetched
      }
    };
    void show();
    return () => {
      isWanted = false;
      remove();
    };
  }, [description, t]);

  return (
    <>
      {state === "loading" && <Loading />}
      {state === "failed" && (
        <Notice tone="warning">
          {t.referenceFailed} <a href={description}>{description}</a>
        </Notice>
      )}
      <div ref={container} />
    </>
  );
}
