// Pagination with the API's cursors. The previous cursors are kept, to go back.
import { Button } from "@mantine/core";
import { useState } from "react";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { adminTexts } from "../texts";
import styles from "./Pager.module.css";

export interface Cursor {
  current: string | null;
  page: number;
  next: (cursor: string) => void;
  previous: () => void;
  first: () => void;
}

export function useCursor(): Cursor {
  const [behind, setBehind] = useState<(string | null)[]>([null]);
  return {
    current: behind[behind.length - 1] ?? null,
    page: behind.length,
    next: (cursor) => setBehind((before) => [...before, cursor]),
    previous: () => setBehind((before) => (before.length > 1 ? before.slice(0, -1) : before)),
    first: () => setBehind([null]),
  };
}

export function Pager({ cursor, next }: { cursor: Cursor; next: string | null }) {
  const t = useText(adminTexts);
  if (cursor.page === 1 && next === null) return null;
  return (
    <nav className={styles.pager} aria-label={t.page(cursor.page)}>
      <Button
        variant="default"
        size="xs"
        disabled={cursor.page === 1}
        onClick={cursor.previous}
        leftSection={<Icon name="left" size={16} />}
      >
        {t.previous}
      </Button>
      <span aria-live="polite">{t.page(cursor.page)}</span>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        onClick={() => next !== null && cursor.next(next)}
        rightSection={<Icon name="right" size={16} />}
      >
        {t.next}
      </Button>
    </nav>
  );
}
