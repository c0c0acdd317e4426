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
} from "maplibre-gl";
import workerAddress from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import { useContext, useEffect, useRef, useState } from "react";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import type { Drawing } from "./drawing";
import styles from "./LandMap.module.css";
import { SelectionContext } from "./selection";
import type { SideLabel } from "./sides";
import {
  BACKGROUNDS,
  type Background,
  chosen,
  FEATURES,
  HATCH,
  hatch,
  isOwnTile,
  isShown,
  LAYERS_OF_BACKGROUND,
  ORTHO,
  PLAN,
  paintOf,
  styleOf,
} from "./style";
import { mapTexts } from "./texts";

setWorkerUrl(workerAddress);

const PADDING_PX = 48;
const CLOSEST = 19;
const SIDE_TEXT_PX = 46;
const SIDE_OFFSET_PX = 9;
const EQUATOR_M = 40_075_017;

export default function LandMap({ drawing }: { drawing: Drawing }) {
  const t = useText(mapTexts);
  const { hundredths } = useFormats();
  const scheme = useComputedColorScheme("light");
  const selection = useContext(SelectionContext);
  const container = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre | null>(null);
  const current = useRef(selection);
  const [isReady, setReady] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const [shown, setShown] = useState("");
  const [chosenBackground, setBackground] = useState<Background | null>(null);
  const [missing, setMissing] = useState<"" | "ign" | "own">("");
  const [clicked, setClicked] = useState("");
  const background = chosenBackground ?? (drawing.isFictional ? "cadastre" : "plan");
  current.current = selection;

  useEffect(() => {
    if (container.current === null) return;
    let created: MapLibre;
    try {
      created = new MapLibre({
        container: container.current,
        style: styleOf(location.origin),
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
    created.on("load", () => setReady(true));
    created.on("idle", () => setShown(renderedKinds(created)));
    // A tile that fails leaves a gap. The others are still shown, and a movement asks for it again.
    created.on("error", (event) => {
      if ("sourceId" in event) setMissing(event.sourceId === PLAN || event.sourceId === ORTHO ? "ign" : "own");
    });
    created.on("click", (event) => {
      const [parcel] = created.queryRenderedFeatures(event.point, { layers: ["parcel-hit"] });
      const id = parcel?.properties.id;
      if (typeof id !== "string" || current.current.toggle === undefined) return;
      current.current.toggle(id);
      setClicked(id);
    });
    return () => {
      setReady(false);
      map.current = null;
      created.remove();
    };
  }, [t.controls]);

  useEffect(() => {
    const canvas = map.current?.getCanvas();
    canvas?.setAttribute("aria-label", t.canvas);
  }, [t.canvas]);

  useEffect(() => {
    if (!isReady || map.current === null) return;
    const drawn = map.current;
    if (drawn.hasImage(HATCH)) drawn.removeImage(HATCH);
    drawn.addImage(HATCH, hatch(scheme));
    for (const [layer, name, value] of paintOf(scheme, background)) drawn.setPaintProperty(layer, name, value as never);
    for (const layer of LAYERS_OF_BACKGROUND) {
      drawn.setLayoutProperty(layer, "visibility", isShown(layer, background) ? "visible" : "none");
    }
  }, [isReady, scheme, background]);

  useEffect(() => {
    if (isReady) map.current?.setFilter("parcel-chosen", chosen(selection.ids));
  }, [isReady, selection.ids]);

  useEffect(() => {
    if (!isReady || map.current === null) return;
    const drawn = map.current;
    const { bounds } = drawing;
    const fit = () => bounds && drawn.fitBounds(bounds, { padding: PADDING_PX, maxZoom: CLOSEST, animate: false });
    drawn.getSource<GeoJSONSource>(FEATURES)?.setData(drawing.features);
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
  }, [isReady, drawing, hundredths]);

  const recentre = () =>
    drawing.bounds && map.current?.fitBounds(drawing.bounds, { padding: PADDING_PX, maxZoom: CLOSEST });

  const note = clicked
    ? selection.ids.includes(clicked)
      ? t.added(clicked)
      : t.removed(clicked)
    : missing
      ? t.missing[missing]
      : selection.toggle
        ? t.click
        : "";

  if (hasFailed) return <Notice>{t.noWebGl}</Notice>;
  return (
    <div className={styles.frame}>
      <div ref={container} className={styles.map} data-shows={shown} data-testid="map" />
      <div className={styles.controls}>
        <SegmentedControl
          size="xs"
          aria-label={t.background}
          value={background}
          onChange={(value) => setBackground(value as Background)}
          data={BACKGROUNDS.map((value) => ({ value, label: t.backgrounds[value] ?? value }))}
        />
        <span className={styles.note} role="status">
          {note}
        </span>
        <Button variant="default" size="compact-sm" onClick={recentre} disabled={drawing.bounds === null}>
          {t.recentre}
        </Button>
      </div>
    </div>
  );
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

/** What the map currently renders: the kinds of the answer's features, and layers of the cadastre. */
function renderedKinds(map: MapLibre): string {
  const kinds = map
    .queryRenderedFeatures()
    .map(({ properties, sourceLayer }) => String(properties.kind ?? sourceLayer));
  return [...new Set(kinds)].sort().join(" ");
}

/** The letter of a lot. Hidden from screen readers, since the list under the map has it too. */
function label(text: string, color: string): HTMLElement {
  const element = document.createElement("div");
  element.className = styles.label ?? "";
  element.textContent = text;
  element.style.setProperty("--lot-color", color);
  return element;
}
