// The map: MapLibre GL, loaded on demand. Its worker is served by the edge.
import "maplibre-gl/dist/maplibre-gl.css";
import { Button, SegmentedControl, useComputedColorScheme } from "@mantine/core";
import {
  AttributionControl,
  type GeoJSONSource,
  Map as MapLibre,
  Marker,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
  type VectorTileSource,
} from "maplibre-gl";
import workerAddress from "maplibre-gl/worker";
import { useContext, useEffect, useRef, useState } from "react";
import { useFormats } from "../../shell/format";
import { useLanguage, useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import { useUnits } from "../views/components";
import { type Bounds, type Drawing, drawnOutline } from "./drawing";
import { followFailedTiles } from "./failedTiles";
import styles from "./LandMap.module.css";
import { SelectionContext } from "./selection";
import type { SideLabel } from "./sides";
import {
  BACKGROUNDS,
  type Background,
  chosen,
  FEATURES,
  inkScheme,
  isOwnTile,
  isShown,
  ORTHO,
  PLAN,
  paintOf,
  SWITCHED_LAYERS,
  styleOf,
} from "./style";
import { ThemeChoice, ThemeLegend } from "./ThemeControls";
import { mapTexts } from "./texts";
import { hatches, type LegendItem, legendItem, priceText, SALES, THEMES, type Theme } from "./themes";

setWorkerUrl(workerAddress);

const PADDING_PX = 48;
const CLOSEST = 19;
/** Of a point alone, so that its parcel is in sight. */
const CLOSEST_TO_POINT = 18;
const SIDE_TEXT_PX = 46;
const SIDE_OFFSET_PX = 9;
const EQUATOR_M = 40_075_017;

const LAYER_OF = {
  zones: "zone-line",
  restrictions: "restriction-line",
  risks: "risk-line",
  sales: "sale",
} as const satisfies Record<Theme, string>;

interface Rendered {
  /** The kinds of the answer's features, and layers of our own tiles. */
  kinds: readonly string[];
  /** The prices that are written, in euros. */
  prices: readonly string[];
  legend: readonly LegendItem[];
  /** The themes that were switched on. */
  themes: readonly Theme[];
  /** Those of them that begin at a closer zoom. */
  far: readonly Theme[];
}
const NOTHING: Rendered = { kinds: [], prices: [], legend: [], themes: [], far: [] };

/** The properties of a sale in our tiles. */
interface Sale {
  kind: string;
  date_mutation: string;
  price_eur: number;
  price_eur_per_m2: number;
}
type Clicked = { parcel: string } | { sale: Sale };

export default function LandMap({ drawing }: { drawing: Drawing }) {
  const { isFictional } = drawing;
  const t = useText(mapTexts);
  const { language } = useLanguage();
  const { hundredths, date } = useFormats();
  const { euros } = useUnits();
  const scheme = useComputedColorScheme("light");
  const selection = useContext(SelectionContext);
  const container = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre | null>(null);
  const current = useRef(selection);
  /** The map once its style is loaded. A change of language replaces the map, and one between real and fictional land. */
  const [ready, setReady] = useState<MapLibre | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const [shown, setShown] = useState<Rendered>(NOTHING);
  const [themes, setThemes] = useState<readonly Theme[]>([]);
  const [chosenBackground, setBackground] = useState<Background | null>(null);
  const [missing, setMissing] = useState<"" | "ign" | "own">("");
  const [clicked, setClicked] = useState<Clicked | null>(null);
  const background = chosenBackground ?? (isFictional ? "cadastre" : "plan");
  current.current = selection;

  useEffect(() => {
    if (container.current === null) return;
    let created: MapLibre;
    try {
      created = new MapLibre({
        container: container.current,
        style: styleOf(location.origin, isFictional ? t.demoCredit : null),
        attributionControl: false,
        maxZoom: 21,
        dragRotate: false,
        pitchWithRotate: false,
        cooperativeGestures: false,
        scrollZoom: false, // the page scrolls; the buttons, two fingers and the keyboard zoom
        locale: t.controls,
        transformRequest: (url) =>
          isOwnTile(url) ? { url, headers: { "x-api-key": current.current.apiKey } } : { url },
      });
    } catch {
      setFailed(true); // no WebGL
      return;
    }
    map.current = created;
    created.touchZoomRotate.disableRotation();
    created.addControl(new NavigationControl({ showCompass: false }), "top-right");
    created.addControl(new ScaleControl({ unit: "metric" }), "bottom-left");
    created.addControl(new AttributionControl({ compact: false }), "bottom-right");
    created.on("load", () => setReady(created));
    created.on("movestart", () => created.getContainer().removeAttribute("data-idle"));
    created.on("idle", () => {
      created.getContainer().setAttribute("data-idle", "");
      setShown(renderedIn(created));
    });
    // A tile that fails leaves a gap. The others are still shown.
    const unfollow = followFailedTiles(created, ([source]) =>
      setMissing(source === undefined ? "" : source === PLAN || source === ORTHO ? "ign" : "own"),
    );
    created.on("click", (event) => {
      const { outline } = current.current;
      if (outline !== undefined) return outline.add(event.lngLat.toArray());
      const [hit] = created.queryRenderedFeatures(event.point, { layers: ["sale", "parcel-hit"] });
      if (hit?.sourceLayer === SALES) return setClicked({ sale: hit.properties as Sale });
      const id = hit?.properties.id;
      if (typeof id !== "string" || current.current.toggle === undefined) return;
      current.current.toggle(id);
      setClicked({ parcel: id });
    });
    return () => {
      map.current = null;
      unfollow();
      created.remove();
    };
  }, [t.controls, t.demoCredit, isFictional]);

  useEffect(() => {
    const canvas = map.current?.getCanvas();
    canvas?.setAttribute("aria-label", t.canvas);
  }, [t.canvas]);

  useEffect(() => {
    const drawn = ready === map.current ? ready : null;
    if (drawn === null) return;
    for (const [name, image] of hatches(scheme, inkScheme(scheme, background))) {
      if (drawn.hasImage(name)) drawn.removeImage(name);
      drawn.addImage(name, image);
    }
    drawn.setLayoutProperty("sale-price", "text-field", priceText(language));
    for (const [layer, name, value] of paintOf(scheme, background)) drawn.setPaintProperty(layer, name, value as never);
    for (const layer of SWITCHED_LAYERS) {
      drawn.setLayoutProperty(layer, "visibility", isShown(layer, background, themes) ? "visible" : "none");
    }
  }, [ready, scheme, background, themes, language]);

  useEffect(() => {
    if (ready === map.current) ready?.setFilter("parcel-chosen", chosen(selection.ids));
  }, [ready, selection.ids]);

  useEffect(() => {
    if (ready !== map.current) return;
    const features = [...drawing.features.features, ...drawnOutline(selection.outline?.corners ?? [])];
    ready?.getSource<GeoJSONSource>(FEATURES)?.setData({ type: "FeatureCollection", features });
  }, [ready, drawing, selection.outline]);

  useEffect(() => {
    const drawn = ready === map.current ? ready : null;
    if (drawn === null) return;
    const { bounds } = drawing;
    const fit = () => bounds && drawn.fitBounds(bounds, { ...framed(bounds), animate: false });
    fit();
    drawn.on("resize", fit);
    const markers = drawing.labels.map(({ at, text, color }) =>
      new Marker({ element: label(text, color) }).setLngLat(at).addTo(drawn),
    );
    const written = drawing.sides.map((side) => sideMarker(side, hundredths(side.lengthM)));
    const showReadable = () => {
      for (const { marker, lengthM } of written) {
        if (lengthM / metresPerPixel(drawn) >= SIDE_TEXT_PX) marker.addTo(drawn);
        else marker.remove();
      }
    };
    showReadable();
    drawn.on("zoomend", showReadable);
    drawn.on("resize", showReadable);
    return () => {
      drawn.off("resize", fit);
      drawn.off("zoomend", showReadable);
      drawn.off("resize", showReadable);
      for (const marker of markers) marker.remove();
      for (const { marker } of written) marker.remove();
    };
  }, [ready, drawing, hundredths]);

  const recentre = () => drawing.bounds && map.current?.fitBounds(drawing.bounds, framed(drawing.bounds));

  const describe = ({ kind, date_mutation: on, price_eur: price, price_eur_per_m2: perM2 }: Sale) =>
    t.sold(t.saleKinds[kind] ?? kind, date(on), euros(price) ?? "", euros(perM2) ?? "");
  const absent = themes.find((theme) => shown.themes.includes(theme) && !shown.kinds.includes(theme));
  const note =
    clicked !== null && "sale" in clicked
      ? describe(clicked.sale)
      : clicked !== null
        ? (selection.ids.includes(clicked.parcel) ? t.added : t.removed)(clicked.parcel)
        : missing
          ? t.missing[missing]
          : absent
            ? shown.far.includes(absent)
              ? t.zoomIn
              : t.noneShown[absent]
            : selection.toggle
              ? t.click
              : "";

  if (hasFailed) return <Notice>{t.noWebGl}</Notice>;
  return (
    <div className={styles.frame}>
      <div
        ref={container}
        className={styles.map}
        data-shows={shown.kinds.join(" ")}
        data-prices={shown.prices.join(" ")}
        data-testid="map"
      />
      <div className={styles.controls}>
        <SegmentedControl
          size="xs"
          aria-label={t.background}
          value={background}
          onChange={(value) => setBackground(value as Background)}
          data={BACKGROUNDS.map((value) => ({ value, label: t.backgrounds[value] ?? value }))}
        />
        <ThemeChoice
          chosen={themes}
          onChange={(next) => {
            setThemes(next);
            setClicked(null);
          }}
        />
        <span className={styles.note} role="status">
          {note}
        </span>
        <Button variant="default" size="compact-sm" onClick={recentre} disabled={drawing.bounds === null}>
          {t.recentre}
        </Button>
      </div>
      <ThemeLegend items={[...(background === "cadastre" ? (["ground", "house"] as const) : []), ...shown.legend]} />
    </div>
  );
}

function framed([west, south, east, north]: Bounds) {
  return { padding: PADDING_PX, maxZoom: west === east && south === north ? CLOSEST_TO_POINT : CLOSEST };
}

function metresPerPixel(map: MapLibre): number {
  const tile = 512 * 2 ** map.getZoom();
  return (EQUATOR_M * Math.cos((map.getCenter().lat * Math.PI) / 180)) / tile;
}

/** The length of a side, inside its lot. Hidden from screen readers: the table of lots has the lengths. */
function sideMarker({ at, degrees, inward, lengthM }: SideLabel, text: string): { marker: Marker; lengthM: number } {
  const element = document.createElement("div");
  element.className = styles.side ?? "";
  element.textContent = text;
  element.ariaHidden = "true";
  const offset: [number, number] = [inward[0] * SIDE_OFFSET_PX, inward[1] * SIDE_OFFSET_PX];
  const marker = new Marker({ element, rotation: degrees, offset, subpixelPositioning: true }).setLngLat(at);
  return { marker, lengthM };
}

/** What the map renders at the moment. */
function renderedIn(map: MapLibre): Rendered {
  const features = map.queryRenderedFeatures();
  const kinds = features.map(({ properties, sourceLayer }) => String(sourceLayer ?? properties.kind));
  const items = features.flatMap(({ properties, sourceLayer }) => legendItem(sourceLayer ?? "", properties) ?? []);
  const priced = features.filter(({ layer }) => layer.id === "sale-price");
  const themes = THEMES.filter((source) => map.getLayoutProperty(LAYER_OF[source], "visibility") !== "none");
  return {
    kinds: [...new Set(kinds)].sort(),
    prices: priced.map(({ properties }) => String(properties.price_eur)),
    legend: [...new Set(items)],
    themes,
    far: themes.filter((source) => map.getZoom() < (map.getSource<VectorTileSource>(source)?.minzoom ?? 0)),
  };
}

/** The letter of a lot. Hidden from screen readers, since the list under the map has it too. */
function label(text: string, color: string): HTMLElement {
  const element = document.createElement("div");
  element.className = styles.label ?? "";
  element.textContent = text;
  element.style.setProperty("--lot-color", color);
  return element;
}
