// The plan of a dossier, drawn to scale: the land or its lots with the lengths of their sides, and what is around.
import type { Geometry, Position } from "geojson";
import { useMemo } from "react";
import type { LandUnit, Proposal } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { type Bounds, type Drawing, type DrawnKind, drawingOfUnit } from "../map/drawing";
import { pathOf } from "../map/paths";
import { type SideLabel, sideLabels } from "../map/sides";
import { useUnits } from "../views/components";
import styles from "./Dossier.module.css";
import { type Frame, frameOf, HEIGHT_MM, outlinesOf, sideLengths, WIDTH_MM } from "./plan";
import { type Tile, useSurroundings } from "./surroundings";
import { dossierTexts } from "./texts";

const KINDS: readonly DrawnKind[] = ["unit", "lot", "way", "envelope", "building", "frontage"];
const IN_LEGEND: readonly DrawnKind[] = ["unit", "way", "envelope", "building", "frontage"];
/** More lengths than this are not legible on half a page. */
const MOST_SIDES = 40;
const LETTER_MM = 1.25;
const OFFSET_MM = 1.5;
const EDGE_MM = 4;

interface Props {
  unit: LandUnit;
  proposal: Proposal | null;
  apiKey: string;
}

export function PlanFigure({ unit, proposal, apiKey }: Props) {
  const t = useText(dossierTexts);
  const drawing = useMemo(() => drawingOfUnit(unit, proposal), [unit, proposal]);
  if (drawing.bounds === null) return <p>{t.noPlan}</p>;
  return <Plan drawing={drawing} bounds={drawing.bounds} unit={unit} proposal={proposal} apiKey={apiKey} />;
}

function Plan({ drawing, bounds, unit, proposal, apiKey }: Props & { drawing: Drawing; bounds: Bounds }) {
  const t = useText(dossierTexts);
  const formats = useFormats();
  const frame = useMemo(() => frameOf(bounds), [bounds]);
  const surroundings = useSurroundings(frame.shown, apiKey);
  const sides = useMemo(() => (proposal ? drawing.sides : sidesOf(unit)), [drawing, proposal, unit]);
  const properties = unit.features[0]?.properties;
  const own = new Set(properties?.parcels.map((each) => Number(each.number)));
  /** Whether it is the number of a parcel of the land, where the letter of a lot stands. */
  const isUnderLots = (number: number, [longitude = 0, latitude = 0]: Position) =>
    proposal !== null &&
    own.has(number) &&
    longitude > bounds[0] &&
    longitude < bounds[2] &&
    latitude > bounds[1] &&
    latitude < bounds[3];
  const drawn = KINDS.flatMap((kind) => drawing.features.features.filter(({ properties: of }) => of.kind === kind));
  const kinds = new Set(drawn.map(({ properties: of }) => of.kind));
  const [longitude = 0, latitude = 0] = properties?.land?.centroid ?? middleOf(bounds);
  const degrees = (value: number) => `${formats.degrees(value)}°`;
  return (
    <figure className={styles.plan}>
      <svg
        viewBox={`0 0 ${WIDTH_MM} ${HEIGHT_MM}`}
        role="img"
        aria-label={t.plan}
        data-surroundings={surroundings.state}
      >
        {surroundings.state === "shown" &&
          surroundings.tiles.map((tile) => (
            <Around key={tile.bounds.join()} tile={tile} frame={frame} isHidden={isUnderLots} />
          ))}
        {drawn.map(({ geometry, properties: { kind, color } }) => {
          const path = pathOf(geometry, frame.place);
          return <path key={`${kind} ${path}`} d={path} data-kind={kind} {...(color && { fill: color })} />;
        })}
        {sides.length <= MOST_SIDES &&
          sides.map((side) => <Length key={side.at.join()} side={side} frame={frame} isOutside={proposal === null} />)}
        <LotNames proposal={proposal} drawing={drawing} frame={frame} />
        <North />
        <rect x="0.15" y="0.15" width={WIDTH_MM - 0.3} height={HEIGHT_MM - 0.3} className={styles.border} />
      </svg>
      <figcaption>
        <div className={styles.scale}>
          <ScaleBar frame={frame} />
          <ul className={styles.legend}>
            {IN_LEGEND.filter((kind) => kinds.has(kind)).map((kind) => (
              <li key={kind} data-kind={kind}>
                <svg viewBox="0 0 4 2.4" aria-hidden="true">
                  <rect x="0.2" y="0.2" width="3.6" height="2" data-kind={kind} />
                </svg>
                {t.legend[kind]}
              </li>
            ))}
          </ul>
        </div>
        <strong>{t.scale(formats.number(frame.scale))} </strong>
        {sides.length > MOST_SIDES && <span>{t.undrawn(sides.length)} </span>}
        {surroundings.state === "failed" && <span>{t.neighboursFailed} </span>}
        {surroundings.state === "loading" && <span role="status">{t.neighboursLoading} </span>}
        <span>{t.coordinates(`${degrees(latitude)} N, ${degrees(longitude)} E`)}</span>
      </figcaption>
    </figure>
  );
}

/** The lengths of the outline's sides. With the perimeter of the answer, they are lengths on the ground. */
function sidesOf(unit: LandUnit): SideLabel[] {
  return unit.features.flatMap(({ geometry, properties }) => {
    const rings = outlinesOf(geometry as Geometry);
    const lengths = rings.map(sideLengths);
    const total = lengths.flat().reduce((sum, each) => sum + each, 0);
    const perimeter = properties.land?.perimeter_m;
    // The perimeter has the holes and the smallest corners too: only a small difference is that of the two measures.
    const factor = perimeter && Math.abs(perimeter / total - 1) < 0.002 ? perimeter / total : 1;
    return rings.flatMap((ring, index) =>
      sideLabels(ring, lengths[index] ?? []).map((side) => ({ ...side, lengthM: side.lengthM * factor })),
    );
  });
}

function middleOf([west, south, east, north]: Bounds): [number, number] {
  return [(west + east) / 2, (south + north) / 2];
}

/** A tile, cut at its edge: there, the outlines of what it shares with the next one are no boundaries. */
function Around({
  tile,
  frame,
  isHidden,
}: {
  tile: Tile;
  frame: Frame;
  isHidden: (number: number, at: Position) => boolean;
}) {
  const [west, south, east, north] = tile.bounds;
  const [left, top] = frame.place([west, north]);
  const [right, bottom] = frame.place([east, south]);
  const id = `tile-${west}-${north}`;
  return (
    <g clipPath={`url(#${id})`}>
      <clipPath id={id}>
        <rect x={left} y={top} width={right - left} height={bottom - top} />
      </clipPath>
      {tile.parcels.map(({ geometry, properties }) => (
        <path key={String(properties?.id)} d={pathOf(geometry, frame.place)} data-kind="neighbour" />
      ))}
      {tile.buildings.map(({ geometry }) => {
        const path = pathOf(geometry, frame.place);
        return <path key={path} d={path} data-kind="built" />;
      })}
      {tile.numbers.map(({ geometry, properties }) => {
        const number = Number(properties?.number);
        if (geometry.type !== "Point" || isHidden(number, geometry.coordinates)) return null;
        const [x, y] = frame.place(geometry.coordinates);
        if (x < EDGE_MM || x > WIDTH_MM - EDGE_MM || y < EDGE_MM || y > HEIGHT_MM - EDGE_MM) return null;
        return (
          <text key={`${number} ${x}`} x={x} y={y} data-kind="number">
            {number}
          </text>
        );
      })}
    </g>
  );
}

/** The length of a side, unless the side is shorter on paper than the text. */
function Length({ side, frame, isOutside }: { side: SideLabel; frame: Frame; isOutside: boolean }) {
  const { tenths } = useFormats();
  const text = tenths(side.lengthM);
  if ((side.lengthM * 1000) / frame.scale < (text.length + 1) * LETTER_MM) return null;
  const [x, y] = frame.place(side.at);
  const away = isOutside ? -OFFSET_MM : OFFSET_MM;
  const [dx, dy] = [side.inward[0] * away, side.inward[1] * away];
  return (
    <text transform={`translate(${x + dx} ${y + dy}) rotate(${side.degrees})`} data-kind="length">
      {text}
    </text>
  );
}

function LotNames({ proposal, drawing, frame }: { proposal: Proposal | null; drawing: Drawing; frame: Frame }) {
  const units = useUnits();
  return drawing.labels.map(({ at, text }) => {
    const [x, y] = frame.place(at);
    const lot = proposal?.lots.features.find(({ id }) => id === text);
    return (
      <text key={text} x={x} y={y - 1.6} data-kind="lotName">
        {text}
        <tspan x={x} dy="3.2" data-kind="lotArea">
          {lot && units.area(lot.properties.area_m2)}
        </tspan>
      </text>
    );
  });
}

function North() {
  const t = useText(dossierTexts);
  return (
    <g transform={`translate(${WIDTH_MM - 6} 4)`} className={styles.north}>
      <circle cx="0" cy="4.4" r="4.6" />
      <path d="M0 0.6L2 7L0 5.6L-2 7Z" />
      <text y="10.6">{t.north}</text>
    </g>
  );
}

function ScaleBar({ frame: { bar } }: { frame: Frame }) {
  const { number } = useFormats();
  const half = bar.mm / 2;
  return (
    <svg
      viewBox={`-1 0 ${bar.mm + 9} 5`}
      className={styles.bar}
      style={{ width: `${bar.mm + 9}mm` }}
      aria-hidden="true"
    >
      <rect x="0" y="0.4" width={half} height="1.1" className={styles.full} />
      <rect x={half} y="0.4" width={half} height="1.1" />
      <text x="0" y="4.2">
        0
      </text>
      <text x={bar.mm} y="4.2">
        {number(bar.metres)} m
      </text>
    </svg>
  );
}
