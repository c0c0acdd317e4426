// What suggest and reverse answer.
import type { ReverseAnswer, SuggestAnswer } from "../../api/types";
import { useText } from "../../shell/language";
import { texts } from "../texts";
import { DataTable, EmptyNote, Facts, Section, useUnits } from "./components";
import { type OnUse, ResolveView } from "./ResolveView";
import { viewTexts } from "./texts";
import styles from "./views.module.css";

export function SuggestionsView({ answer: { suggestions } }: { answer: SuggestAnswer }) {
  const t = useText(viewTexts);
  const page = useText(texts);
  return (
    <div className={styles.view}>
      <Section title={page.suggestions}>
        {suggestions.length === 0 ? (
          <EmptyNote>{page.noSuggestions}</EmptyNote>
        ) : (
          <DataTable
            label={page.suggestions}
            rows={suggestions}
            rowKey={(row, index) => row.id ?? String(index)}
            columns={[
              { title: t.label, cell: (row) => row.label },
              { title: page.kind, cell: (row) => (row.type === null ? null : (t.types[row.type] ?? row.type)) },
            ]}
          />
        )}
      </Section>
    </div>
  );
}

export function ReverseView({ answer, onUse }: { answer: ReverseAnswer; onUse: OnUse }) {
  const t = useText(viewTexts);
  const units = useUnits();
  return (
    <div className={styles.view}>
      <Facts facts={[[t.distance, units.length(answer.distance_m)]]} />
      <ResolveView answer={{ ...answer, alternatives: [] }} onUse={onUse} />
    </div>
  );
}
