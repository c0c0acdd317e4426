// The map, with a list of its content. The map is loaded on demand.
import { useText } from "../../shell/language";
import { ErrorBoundary, Loading, Notice, onDemand } from "../../shell/states";
import type { Drawing, DrawnKind } from "./drawing";
import styles from "./MapView.module.css";
import { mapTexts } from "./texts";

const LandMap = onDemand(() => import("./LandMap"), <LoadingMap />);

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
      {/* If the map fails, the rest of the page remains. */}
      <ErrorBoundary fallback={() => <Notice tone="warning">{t.failed}</Notice>}>
        <LandMap drawing={drawing} />
      </ErrorBoundary>
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
