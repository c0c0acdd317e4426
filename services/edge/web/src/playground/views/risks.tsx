// The block of risks: a table by subject, and the context of the commune.
import type { RisksBlock } from "../../api/types";
import { useText } from "../../shell/language";
import { DataTable, Facts, useUnits } from "./components";
import { viewTexts } from "./texts";

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
          { title: t.level, cell: (row) => row.label ?? row.level },
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
