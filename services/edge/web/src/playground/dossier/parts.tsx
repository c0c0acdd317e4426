// What the parts of a dossier share: sections, footnote numbers, texts, and groups of items.
import type { ReactNode } from "react";
import type { Source } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { useUnits } from "../views/components";
import { viewTexts } from "../views/texts";
import styles from "./Dossier.module.css";
import type { Words } from "./facts";
import { dossierTexts } from "./texts";

export function useWords(): Words {
  return { t: useText(dossierTexts), view: useText(viewTexts), units: useUnits(), formats: useFormats() };
}

export function Section({
  title,
  notes,
  aside,
  children,
}: {
  title: string;
  notes?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.section}>
      <h2>
        <span>
          {title}
          {notes}
        </span>
        {aside}
      </h2>
      {children}
    </section>
  );
}

/** The footnote numbers of these datasets. */
export function Notes({ of, notes }: { of: readonly string[]; notes: readonly Source[] }) {
  const numbers = of.map((id) => notes.findIndex((note) => note.id === id) + 1).filter((number) => number > 0);
  return numbers.length > 0 && <sup>{[...new Set(numbers)].join(",")}</sup>;
}

/** The items of each name, in order. */
export function grouped<T>(items: readonly T[], nameOf: (item: T) => string): [name: string, items: [T, ...T[]]][] {
  return [...Map.groupBy(items, nameOf)] as [string, [T, ...T[]]][];
}
