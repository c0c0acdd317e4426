// What was understood of the project: each value can be changed and sent again.
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Project, QuickAssessment, Wish } from "../api/types";
import { Section } from "../playground/views/components";
import { useText } from "../shell/language";
import { Badge } from "../shell/states";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";

/** A clause ends at punctuation before a space: not within 1,5 or 9.30. */
const CLAUSE = /(?:[^.,;:!?\n]|[.,:](?=\S))+/g;

export function ProjectForm({
  question,
  assumptions: { project, wishes },
  onSend,
  isPending,
}: {
  /** The text that was asked. */
  question: string;
  assumptions: QuickAssessment["assumptions"];
  onSend: (project: Project) => void;
  isPending: boolean;
}) {
  const t = useText(terrainTexts);
  const [changed, setChanged] = useState(project);
  const set = (name: string, value: unknown) => setChanged((before) => ({ ...before, [name]: value }));
  const setLot = (index: number, part: object) =>
    set(
      "lots",
      changed.lots.map((lot, at) => (at === index ? { ...lot, ...part } : lot)),
    );
  const names = Object.keys(t.project) as (keyof typeof t.project)[];
  const known = names.filter((name) => project[name] !== null);
  const lots = project.lots.flatMap(({ area_m2: area, share_ratio: share }, index) =>
    area === null && share === null ? [] : [{ index, isArea: area !== null }],
  );
  if (known.length + lots.length + wishes.length === 0) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSend(changed);
  };
  return (
    <Section title={t.understood}>
      {wishes.length > 0 && (
        <ul className={styles.wishes}>
          {passagesOf(question, wishes).map((passage) => (
            <li key={passage.wishes.map(({ field, words }) => `${field} ${words}`).join()}>
              {passage.words !== "" && <q>{passage.words}</q>}
              <ul>
                {passage.wishes.map((wish) => (
                  <Outcome key={`${wish.field} ${wish.words}`} wish={wish} isAlone={passage.wishes.length === 1} />
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
      {known.length + lots.length > 0 && (
        <form onSubmit={submit} className="lp-screen">
          <p className={styles.hint}>{t.understoodHint}</p>
          <div className={styles.chips}>
            {known.map((name) => (
              <Value key={name} label={t.project[name]} value={changed[name]} onChange={(value) => set(name, value)} />
            ))}
            {lots.map(({ index, isArea }) => {
              const member = isArea ? "area_m2" : "share_ratio";
              return (
                <Value
                  key={index}
                  label={isArea ? `${t.lot(index + 1)}, m²` : t.lotShare(index + 1)}
                  value={changed.lots[index]?.[member] ?? null}
                  onChange={(value) => setLot(index, { [member]: value })}
                />
              );
            })}
            <Button type="submit" variant="default" disabled={isPending}>
              {t.askAgain}
            </Button>
          </div>
        </form>
      )}
    </Section>
  );
}

/** What became of a wish. A told fact is noted; what no field says is noted in its words, which stand above. */
function Outcome({ wish: { field, words, meaning, status, reason }, isAlone }: { wish: Wish; isAlone: boolean }) {
  const t = useText(terrainTexts);
  const isNoted = status === "not_followed" && (field === null || field.startsWith("/facts/"));
  const state = isNoted ? "noted" : (status ?? "not_read");
  const noted = field === null ? null : meaning;
  const said = { followed: meaning, not_followed: meaning, noted, not_read: isAlone ? null : words }[state];
  return (
    <li>
      <Badge tone={state === "followed" ? "success" : "warning"}>{t.wishStates[state]}</Badge> {said}
      {reason && (said ? ` (${reason})` : reason)}
    </li>
  );
}

interface Passage {
  words: string;
  clauses: readonly number[];
  wishes: readonly Wish[];
}

/** The clauses of the text, whole and each once, with what became of them; then what only fields say. */
function passagesOf(text: string, wishes: readonly Wish[]): readonly Passage[] {
  const clauses = [...text.matchAll(CLAUSE)].map(({ 0: words, index }) => ({
    start: index,
    end: index + words.length,
  }));
  const within = (words: string) => {
    const start = text.indexOf(words);
    return clauses.flatMap((clause, at) =>
      words !== "" && start >= 0 && clause.start < start + words.length && start < clause.end ? [at] : [],
    );
  };
  let passages: readonly Passage[] = [];
  for (const wish of wishes) {
    const places = (wish.words ?? "").split(" … ").flatMap(within);
    const same = passages.filter((passage) => passage.clauses.some((at) => places.includes(at)));
    const all = [...new Set([...same.flatMap((passage) => passage.clauses), ...places])].sort((a, b) => a - b);
    const words = all.map((at) => text.slice(clauses[at]?.start, clauses[at]?.end).trim()).join(", ");
    const merged = { words, clauses: all, wishes: [...same.flatMap((passage) => passage.wishes), wish] };
    passages = [...passages.filter((passage) => !same.includes(passage)), merged];
  }
  const place = ({ clauses: [first = clauses.length] }: Passage) => first;
  return [...passages].sort((one, other) => place(one) - place(other));
}

type Scalar = number | boolean | string | null;

function Value({ label, value, onChange }: { label: string; value: Scalar; onChange: (value: Scalar) => void }) {
  const t = useText(terrainTexts);
  const shared = { label, size: "xs", className: styles.chip ?? "" };
  if (typeof value === "boolean") {
    return (
      <NativeSelect
        {...shared}
        value={String(value)}
        onChange={(event) => onChange(event.currentTarget.value === "true")}
        data={[
          { value: "true", label: t.yes },
          { value: "false", label: t.no },
        ]}
      />
    );
  }
  if (typeof value === "string") {
    return <TextInput {...shared} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  return (
    <TextInput
      {...shared}
      type="number"
      step="any"
      value={value ?? ""}
      min={0}
      onChange={({ currentTarget: { valueAsNumber: next } }) => onChange(Number.isNaN(next) ? null : next)}
    />
  );
}
