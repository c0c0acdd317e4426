// The block of risks: a table by subject, and the context of the commune.
import type { RisksBlock } from "../../api/types";
import { useText } from "../../shell/language";
import { DataTable, Facts, useUnits } from "./components";
import { viewTexts } from "./texts";

/** The publisher's words, such as "2 - FAIBLE", or else the level; null without one. */
export function levelOf({ level, label }: RisksBlock["items"][number], t: typeof viewTexts.fr): string | null {
  const [, number, words] = /^(\d+) - (.+)$/.exec(label ?? "") ?? [];
  if (number !== undefined && words !== undefined) return `${t.riskLevel(number)}, ${words.toLowerCase()}`;
  return label ?? (level && (t.riskLevels[level] ?? t.riskLevel(level)));
}

export function Risks({ block }: { block: RisksBlock }) {
  const t = useText(viewTexts);
  const units = useUnits();
  const { commune } = block;
  return (
    <>
      <DataTable
        label={t.risks}
        rows={block.items}
        rowKey={(row) => row.subject}
        columns={[
          { title: t.risk, cell: (row) => t.riskSubjects[row.subject] ?? row.subject },
          { title: t.state, cell: (row) => t.riskStatuses[row.status] ?? row.status },
          { title: t.level, cell: (row) => levelOf(row, t) },
          {
            title: t.found,
            cell: (row) =>
              row.findings
                .map((each) => [each.name, units.length(each.distance_m), ...each.zones].filter(Boolean).join(", "))
                .join(t.semicolon),
          },
          { title: t.grain, cell: (row) => t.riskGrains[row.grain] ?? row.grain },
        ]}
      />
      {commune && (
        <Facts
          facts={[
            [t.recordedRisks, commune.recorded_risks.join(", ") || null],
            [t.naturalDisasters, units.count(commune.natural_disaster_count)],
          ]}
        />
      )}
    </>
  );
}
