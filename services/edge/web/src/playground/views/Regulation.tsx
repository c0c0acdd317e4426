// The written rules of a land unit: a table with the words of the plan, and a link to the page where they stand.
import type { UrbanismBlock } from "../../api/types";
import { useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import { DataTable, Facts, SafeLink, useUnits } from "./components";
import { viewTexts } from "./texts";

export function Regulation({ block }: { block: UrbanismBlock }) {
  const t = useText(viewTexts);
  const units = useUnits();
  const { regulation, rules } = block;
  if (!regulation) return null;
  const state = regulation.why ? (t.unreadReasons[regulation.why] ?? regulation.why) : t.readStates[regulation.state];
  return (
    <>
      <Facts
        facts={[
          [regulation.zone ? t.regulationOf(regulation.zone) : t.rnu, state],
          [t.file, regulation.file ?? t.none],
          [t.approvedOn, units.date(regulation.approved_on)],
        ]}
      />
      {rules.length > 0 && (
        <>
          <Notice>{t.readAutomatically(regulation.idurba ?? t.rnu)}</Notice>
          <DataTable
            label={t.rules}
            rows={rules}
            rowKey={(row) => row.id}
            columns={[
              { title: t.zone, cell: (row) => row.zone },
              { title: t.rules, cell: (row) => <strong>{row.text}</strong> },
              { title: t.article, cell: (row) => row.article },
              {
                title: t.page,
                isCompact: true,
                cell: (row) =>
                  row.url ? <SafeLink address={row.url}>{String(row.page ?? t.open)}</SafeLink> : row.page,
              },
              { title: t.quote, cell: (row) => row.quote },
              { title: t.state, cell: (row) => t.ruleStates[row.state] ?? row.state },
            ]}
          />
        </>
      )}
    </>
  );
}
