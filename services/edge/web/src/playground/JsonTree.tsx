// JSON as a collapsible tree. A node renders its children when it is opened: answers can have thousands of points.
import { Button } from "@mantine/core";
import { useState } from "react";
import { useText } from "../shell/language";
import styles from "./JsonTree.module.css";
import { texts } from "./texts";

const INITIAL_ITEMS = 50;
const OPEN_DEPTH = 3;
const MAX_OPEN_MEMBERS = 6;
/** A list of numbers up to this length, such as a position, is shown on one line. */
const SHORT_LIST = 4;

export function JsonTree({ value }: { value: unknown }) {
  return (
    <div className={styles.tree}>
      <Node name={null} value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { name: string | null; value: unknown; depth: number }) {
  if (typeof value !== "object" || value === null || isPosition(value)) {
    return (
      <div className={styles.leaf}>
        <Name name={name} />
        <Scalar value={value} />
      </div>
    );
  }
  return <Branch name={name} value={value} depth={depth} />;
}

function Branch({ name, value, depth }: { name: string | null; value: object; depth: number }) {
  const t = useText(texts);
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [isOpen, setOpen] = useState(depth === 0 || (depth < OPEN_DEPTH && entries.length <= MAX_OPEN_MEMBERS));
  const [shown, setShown] = useState(INITIAL_ITEMS);
  if (entries.length === 0) {
    return (
      <div className={styles.leaf}>
        <Name name={name} />
        <span className={styles.mark}>{isList ? "[]" : "{}"}</span>
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} className={styles.branch}>
      <summary>
        <Name name={name} />
        <span className={styles.mark}>
          {isList ? `[ ${entries.length} ]` : `{ ${entries.length} }`}
          <span className="lp-visually-hidden"> {isList ? t.items : t.members}</span>
        </span>
      </summary>
      {isOpen && (
        <div className={styles.inner}>
          {entries.slice(0, shown).map(([key, item]) => (
            <Node key={key} name={key} value={item} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <Button variant="subtle" size="compact-xs" onClick={() => setShown(shown + 10 * INITIAL_ITEMS)}>
              {t.showMore(entries.length - shown)}
            </Button>
          )}
        </div>
      )}
    </details>
  );
}

function Name({ name }: { name: string | null }) {
  return name === null ? null : <span className={styles.name}>{name}: </span>;
}

function Scalar({ value }: { value: unknown }) {
  const kind = value === null ? "null" : Array.isArray(value) ? "number" : typeof value;
  return (
    <span className={styles.scalar} data-kind={kind}>
      {JSON.stringify(value)}
    </span>
  );
}

function isPosition(value: object): boolean {
  return (
    Array.isArray(value) &&
    value.length <= SHORT_LIST &&
    value.length > 0 &&
    value.every((item) => typeof item === "number")
  );
}
