// The view of a page of parcels: map, table, coverage, warnings and sources.
import { useMemo } from "react";
import type { ParcelsAnswer } from "../../api/types";
import { useText } from "../../shell/language";
import { drawingOfParcels } from "../map/drawing";
import { MapView } from "../map/MapView";
import { mapTexts } from "../map/texts";
import { Coverage, DataTable, EmptyNote, Section, Sources, useUnits, Warnings } from "./components";
import { viewTexts } from "./texts";
import styles from "./views.module.css";

export function ParcelsView({ answer }: { answer: ParcelsAnswer }) {
  const t = useText(viewTexts);
  const map = useText(mapTexts);
  const units = useUnits();
  const drawing = useMemo(() => drawingOfParcels(answer), [answer]);
  const rows = answer.features.map(({ properties }) => properties);
  return (
    <div className={styles.view}>
      <Warnings warnings={answer.warnings} />
      {rows.length === 0 ? (
        <EmptyNote>{t.noParcelsHere}</EmptyNote>
      ) : (
        <>
          <MapView drawing={drawing} items={[{ kind: "unit", text: map.parcels(rows.length) }]} />
          <Section title={t.parcels}>
            <DataTable
              label={t.parcels}
              rows={rows}
              rowKey={(row) => row.parcel_id}
              columns={[
                { title: t.parcel, cell: (row) => <code>{row.parcel_id}</code> },
                { title: t.cadastralArea, isNumber: true, cell: (row) => units.area(row.cadastral_area_m2) },
                { title: t.geometricArea, isNumber: true, cell: (row) => units.area(row.geometric_area_m2) },
                { title: t.editionColumn, cell: (row) => row.edition },
              ]}
            />
          </Section>
        </>
      )}
      {answer.next_cursor !== null && <EmptyNote>{t.nextPage}</EmptyNote>}
      <Coverage coverage={answer.coverage} />
      <Sources sources={answer.sources} />
    </div>
  );
}
