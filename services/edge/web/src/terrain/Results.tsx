// The parcels of a search: a table, and the same as files. The map of the page draws them.
import { Button } from "@mantine/core";
import type { ParcelsAnswer } from "../api/types";
import { DataTable, EmptyNote, Sources, useUnits, Warnings } from "../playground/views/components";
import { viewTexts } from "../playground/views/texts";
import { useLanguage, useText } from "../shell/language";
import { saveAs } from "../shell/saveAs";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";

/** Spreadsheets read UTF-8 by this mark. */
const BOM = "\uFEFF";

export function Results({
  answer,
  onChoose,
  onMore,
}: {
  answer: ParcelsAnswer;
  onChoose: (id: string) => void;
  onMore: (cursor: string) => void;
}) {
  const t = useText(terrainTexts);
  const view = useText(viewTexts);
  const units = useUnits();
  const { language } = useLanguage();
  const rows = answer.features.map(({ properties }) => properties);
  const { next_cursor: next } = answer;
  const saveTable = () => {
    const written = (value: number | null) => String(value ?? "").replace(".", language === "fr" ? "," : ".");
    const lines = rows.map(({ parcel_id: id, cadastral_area_m2: declared, geometric_area_m2: drawn, edition }) =>
      [id, written(declared), written(drawn), edition].join(";"),
    );
    saveAs(new Blob([BOM + [t.columns, ...lines, ""].join("\r\n")], { type: "text/csv" }), "parcelles.csv");
  };
  const saveMap = () => {
    const { type, features } = answer;
    saveAs(new Blob([JSON.stringify({ type, features })], { type: "application/geo+json" }), "parcelles.geojson");
  };
  if (rows.length === 0) {
    return (
      <>
        <EmptyNote>{view.noParcelsHere}</EmptyNote>
        <Warnings warnings={answer.warnings} />
      </>
    );
  }
  return (
    <>
      <DataTable
        label={t.results}
        rows={rows}
        rowKey={(row) => row.parcel_id}
        columns={[
          {
            title: view.parcel,
            cell: ({ parcel_id: id }) => (
              <Button size="compact-sm" variant="subtle" onClick={() => onChoose(id)}>
                {id}
              </Button>
            ),
          },
          { title: view.cadastralArea, isNumber: true, cell: (row) => units.area(row.cadastral_area_m2) },
          { title: view.geometricArea, isNumber: true, cell: (row) => units.area(row.geometric_area_m2) },
        ]}
      />
      <div className={styles.line}>
        <Button variant="default" onClick={saveTable}>
          {t.saveCsv}
        </Button>
        <Button variant="default" onClick={saveMap}>
          {t.saveGeoJson}
        </Button>
        {next !== null && <Button onClick={() => onMore(next)}>{t.more}</Button>}
      </div>
      <Warnings warnings={answer.warnings} />
      <Sources sources={answer.sources} />
    </>
  );
}
