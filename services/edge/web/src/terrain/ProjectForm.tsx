// What was understood of the project: each value can be changed and sent again.
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Project, QuickAssessment } from "../api/types";
import { Section } from "../playground/views/components";
import { useText } from "../shell/language";
import { Badge } from "../shell/states";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";

export function ProjectForm({
  assumptions: { project, wishes },
  onSend,
  isPending,
}: {
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
          {wishes.map(({ field, words, meaning, status, reason }) => (
            <li key={`${field} ${words} ${meaning}`}>
              <Badge tone={status === "followed" ? "success" : "warning"}>{status ? t.wishStates[status] : "–"}</Badge>{" "}
              {meaning ?? words}
              {reason && ` (${reason})`}
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
