import { Button } from "@mantine/core";
import { useMemo } from "react";
import type { Address, Agreement, ResolveAnswer } from "../../api/types";
import { useText } from "../../shell/language";
import { Badge } from "../../shell/states";
import { drawingOfAddress } from "../map/drawing";
import { type LegendItem, MapView } from "../map/MapView";
import { mapTexts } from "../map/texts";
import type { Task } from "../requests";
import { texts } from "../texts";
import { DataTable, EmptyNote, Facts, Section, Sources, useUnits, Warnings } from "./components";
import { viewTexts } from "./texts";
import styles from "./views.module.css";

export type OnUse = (task: Task, answer: ResolveAnswer) => void;

/** `onUse` opens another task with the answer as its body. */
export function ResolveView({ answer, onUse }: { answer: ResolveAnswer; onUse: OnUse }) {
  const t = useText(viewTexts);
  const page = useText(texts);
  const map = useText(mapTexts);
  const units = useUnits();
  const drawing = useMemo(() => drawingOfAddress(answer), [answer]);
  const { address, parcels, alternatives } = answer;
  const agreementOf = ({ matched }: Address): [string, string][] => {
    const names = Object.keys(t.agreements) as (keyof Agreement)[];
    const parts = names.flatMap((name) => {
      const ratio = units.ratio(matched?.[name]);
      return ratio === null ? [] : [`${t.agreements[name]} ${ratio}`];
    });
    return parts.length > 0 ? [[t.agreement, parts.join(", ")]] : [];
  };
  const items: LegendItem[] = [{ kind: "address", text: t.named(map.address, address.label ?? "") }];
  if (alternatives.length > 0) items.push({ kind: "alternative", text: map.alternative(alternatives.length) });
  return (
    <div className={styles.view}>
      <Section
        title={t.normalised}
        aside={address.type && <Badge tone="success">{t.types[address.type] ?? address.type}</Badge>}
      >
        <p className={styles.headline}>{address.label}</p>
        <Facts
          facts={[
            [t.score, units.ratio(address.score)],
            [t.position, positionOf(address)],
            [t.cityCode, address.city_code],
            [t.banKey, address.id],
            ...agreementOf(address),
          ]}
        />
      </Section>
      <Section title={t.parcels}>
        {parcels.length === 0 ? (
          <EmptyNote>{t.noParcels}</EmptyNote>
        ) : (
          <>
            <DataTable
              label={t.parcels}
              rows={parcels}
              rowKey={(row) => row.parcel_id}
              columns={[
                { title: t.parcel, cell: (row) => <code>{row.parcel_id}</code> },
                { title: t.match, cell: (row) => (row.match === null ? null : (t.matches[row.match] ?? row.match)) },
                { title: t.distance, isNumber: true, cell: (row) => units.length(row.distance_m) },
              ]}
            />
            <div className={styles.actions}>
              <Button onClick={() => onUse("geojson", answer)}>{page.useInGeojson}</Button>
              <Button variant="default" onClick={() => onUse("divide", answer)}>
                {page.useInDivide}
              </Button>
            </div>
          </>
        )}
      </Section>
      <Warnings warnings={answer.warnings} />
      <MapView drawing={drawing} items={items} />
      {alternatives.length > 0 && (
        <Section title={t.alternatives}>
          <DataTable
            label={t.alternatives}
            rows={alternatives}
            rowKey={(row, index) => row.id ?? String(index)}
            columns={[
              { title: t.label, cell: (row) => row.label },
              { title: t.score, isNumber: true, cell: (row) => units.ratio(row.score) },
            ]}
          />
        </Section>
      )}
      <Sources sources={answer.sources} />
    </div>
  );
}

function positionOf({ latitude, longitude }: Address): string | null {
  return latitude === null || longitude === null ? null : `${latitude.toFixed(6)}, ${longitude.toFixed(6)}`;
}
