// A plan of an answer as a static picture: its lots, buildings and frontage in metres, with north at the top.
import type { Drawing, DrawnKind } from "./drawing";
import styles from "./Plan.module.css";
import { type Place, pathOf } from "./paths";

const METRES_PER_DEGREE = 111_320;
const MARGIN_M = 3;
const KINDS: readonly DrawnKind[] = ["unit", "lot", "way", "envelope", "building", "frontage"];

export function Plan({ drawing, label }: { drawing: Drawing; label: string }) {
  if (drawing.bounds === null) return null;
  const [west, south, east, north] = drawing.bounds;
  const perLongitude = METRES_PER_DEGREE * Math.cos((((south + north) / 2) * Math.PI) / 180);
  /** Metres to the east and to the south of the north-west corner. */
  const place: Place = ([longitude = 0, latitude = 0]) => [
    (longitude - west) * perLongitude,
    (north - latitude) * METRES_PER_DEGREE,
  ];
  const [width, height] = place([east, south]);
  const box = [-MARGIN_M, -MARGIN_M, width + 2 * MARGIN_M, height + 2 * MARGIN_M];
  const shown = KINDS.flatMap((kind) => drawing.features.features.filter(({ properties }) => properties.kind === kind));
  return (
    <svg className={styles.plan} viewBox={box.join(" ")} role="img" aria-label={label}>
      {shown.map(({ geometry, properties: { kind, color } }) => {
        const path = pathOf(geometry, place);
        return <path key={`${kind} ${path}`} d={path} data-kind={kind} {...(color && { fill: color })} />;
      })}
      {drawing.labels.map(({ at, text, color }) => {
        const [x, y] = place(at);
        return (
          <g key={text}>
            <circle cx={x} cy={y} r="2" fill="#fff" stroke={color} strokeWidth="0.4" />
            <text x={x} y={y} dy="0.35em" textAnchor="middle" fontSize="2.6" fontWeight="700" fill="#1b1f1d">
              {text}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
