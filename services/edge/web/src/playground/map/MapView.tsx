// The map, with a list of its content. The map is loaded on demand.
import { useText } from "../../shell/language";
import { ErrorBoundary, Loading, Notice, onDemand } from "../../shell/states";
import type { Drawing, DrawnKind } from "./drawing";
import styles from "./MapView.module.css";
import { Plan } from "./Plan";
import { mapTexts } from "./texts";

const LandMap = onDemand(() => import("./LandMap"), <LoadingMap />);

const MOST_PRINTED = 200;

export interface LegendItem {
  kind: DrawnKind;
  color?: string;
  text: string;
}

export function MapView({ drawing, items }: { drawing: Drawing; items: readonly LegendItem[] }) {
  const t = useText(mapTexts);
  if (drawing.bounds === null) return <Notice>{t.nothing}</Notice>;
  return (
    <figure className={styles.figure}>
      <div className="lp-screen">
        {/* If the map fails, the rest of the page remains. */}
        <ErrorBoundary fallback={() => <Notice tone="warning">{t.failed}</Notice>}>
          <LandMap drawing={drawing} />
        </ErrorBoundary>
      </div>
      {/* A browser prints the map's canvas blank. */}
      {isPrintable(drawing) && (
        <div className={styles.printed}>
          <Plan drawing={drawing} label={t.controls["Map.Title"] ?? ""} />
        </div>
      )}
      <figcaption>
        <span className="lp-visually-hidden">{t.legend}</span>
        <ul className={styles.legend}>
          {items.map(({ kind, color, text }) => (
            <li key={text}>
              <Swatch kind={kind} color={color} />
              {text}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

/** As high as the map, so that the page stays in place when it arrives. */
function LoadingMap() {
  return (
    <div className={styles.loading}>
      <Loading label={useText(mapTexts).loading} />
    </div>
  );
}

/** Points alone make no plan, and thousands of outlines would slow the page down for a print that is rare. */
function isPrintable({ features: { features } }: Drawing): boolean {
  return features.length <= MOST_PRINTED && features.some(({ properties }) => properties.kind === "unit");
}

function Swatch({ kind, color }: { kind: DrawnKind; color: string | undefined }) {
  return (
    <span
      className={styles.swatch}
      data-kind={kind}
      style={color === undefined ? {} : { background: color }}
      aria-hidden="true"
    />
  );
}
