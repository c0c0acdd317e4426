// The loaded communes as a picture. It has no other content than the table, which serves keyboards and screen readers.
import { ActionIcon } from "@mantine/core";
import { memo, useMemo, useState } from "react";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { around, type Box, type Commune } from "./communes";
import styles from "./coverage.module.css";
import { coverageTexts } from "./texts";

const MARGIN = 0.06;
/** The least width of the picture, in thousandths of a degree: a commune and its neighbours. */
const LEAST_WIDTH = 120;
const ZOOM = 1.6;
const MAX_ZOOM = 6;

export function CoverageMap({
  communes,
  dataset,
  chosen,
  onChoose,
}: {
  communes: readonly Commune[];
  /** Its id; empty for all. */
  dataset: string;
  chosen: Commune | null;
  onChoose: (code: string) => void;
}) {
  const t = useText(coverageTexts);
  const [steps, setSteps] = useState(0);
  const whole = useMemo(() => around(communes), [communes]);
  const box = chosen?.box ?? whole;
  if (box === null) return null;
  const view = viewOf(box, ZOOM ** steps);
  const size = Math.max(view.width, view.height) / 160;
  return (
    <div className={styles.map}>
      <svg viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`} role="img" aria-label={t.map}>
        <Outlines communes={communes} dataset={dataset} size={size} onChoose={onChoose} />
        {chosen?.path && <path d={chosen.path} className={styles.chosen} />}
      </svg>
      <div className={styles.zoom}>
        {([1, -1] as const).map((step) => (
          <ActionIcon
            key={step}
            variant="default"
            aria-label={step > 0 ? t.zoomIn : t.zoomOut}
            onClick={() => setSteps((before) => Math.max(-MAX_ZOOM, Math.min(MAX_ZOOM, before + step)))}
          >
            {step > 0 ? <Icon name="plus" /> : "−"}
          </ActionIcon>
        ))}
      </div>
    </div>
  );
}

/** Memoized: a zoom changes the frame only. */
const Outlines = memo(function Outlines({
  communes,
  dataset,
  size,
  onChoose,
}: {
  communes: readonly Commune[];
  dataset: string;
  size: number;
  onChoose: (code: string) => void;
}) {
  return communes.map(({ code, name, path, box, datasets }) => {
    if (box === null) return null;
    const isLoaded = dataset === "" || datasets.includes(dataset);
    const common = { "data-loaded": isLoaded, className: styles.commune, onClick: () => onChoose(code) };
    const label = `${name ?? ""} ${code}`.trim();
    return path === null ? (
      <circle key={code} cx={box.west} cy={box.north} r={size} {...common}>
        <title>{label}</title>
      </circle>
    ) : (
      <path key={code} d={path} {...common}>
        <title>{label}</title>
      </path>
    );
  });
});

function viewOf({ west, north, east, south }: Box, zoom: number) {
  const width = (Math.max(east - west, LEAST_WIDTH) * (1 + 2 * MARGIN)) / zoom;
  const height = (Math.max(south - north, LEAST_WIDTH / 2) * (1 + 2 * MARGIN)) / zoom;
  return { x: (west + east - width) / 2, y: (north + south - height) / 2, width, height };
}
