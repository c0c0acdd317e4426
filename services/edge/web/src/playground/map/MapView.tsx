// The map, with a list of its content. The map is loaded on demand.
import { lazy, Suspense } from "react";
import { useText } from "../../shell/language";
import { ErrorBoundary, Loading, Notice } from "../../shell/states";
import type { Drawing, DrawnKind } from "./drawing";
import styles from "./MapView.module.css";
import { mapTexts } from "./texts";

const LandMap = lazy(() => import("./LandMap"));

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
      {/* If the chunk cannot be loaded, the rest of the page remains. */}
      <ErrorBoundary fallback={() => <Notice tone="warning">{t.failed}</Notice>}>
        <Suspense fallback={<Loading label={t.loading} />}>
          <LandMap drawing={drawing} />
        </Suspense>
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
