// The map, with a list of its content. The map is loaded on demand.
import { Component, lazy, type ReactNode, Suspense } from "react";
import { useText } from "../../shell/language";
import { Loading, Notice } from "../../shell/states";
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
      <MapGuard fallback={<Notice tone="warning">{t.failed}</Notice>}>
        <Suspense fallback={<Loading label={t.loading} />}>
          <LandMap drawing={drawing} />
        </Suspense>
      </MapGuard>
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

/** Keeps the rest of the page if the chunk cannot be loaded. */
class MapGuard extends Component<{ fallback: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
