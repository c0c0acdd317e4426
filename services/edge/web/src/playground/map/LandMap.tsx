// The map: MapLibre GL, loaded on demand. Its worker is served by the edge.
import "maplibre-gl/dist/maplibre-gl.css";
import { Button, Switch, useComputedColorScheme } from "@mantine/core";
import {
  AttributionControl,
  type GeoJSONSource,
  Map as MapLibre,
  Marker,
  NavigationControl,
  ScaleControl,
  type StyleSpecification,
  setWorkerUrl,
} from "maplibre-gl";
import workerAddress from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import { useEffect, useRef, useState } from "react";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import type { Drawing } from "./drawing";
import styles from "./LandMap.module.css";
import type { SideLabel } from "./sides";
import { mapTexts } from "./texts";

setWorkerUrl(workerAddress);

const FEATURES = "features";
const BACKGROUND = "ign";
const PADDING_PX = 48;
const CLOSEST = 19;
const GROUND = { light: "#eef1ee", dark: "#20261f" };
const SIDE_TEXT_PX = 46;
const SIDE_OFFSET_PX = 9;
const EQUATOR_M = 40_075_017;
const PLAN_IGN =
  "https://data.geopf.fr/wmts?SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&LAYER=GEOGRAPHICALGRIDSYSTEMS.PLANIGNV2" +
  "&STYLE=normal&FORMAT=image/png&TILEMATRIXSET=PM&TILEMATRIX={z}&TILEROW={y}&TILECOL={x}";

type Background = "on" | "off" | "unreachable";

export default function LandMap({ drawing }: { drawing: Drawing }) {
  const t = useText(mapTexts);
  const { hundredths } = useFormats();
  const scheme = useComputedColorScheme("light");
  const container = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibre | null>(null);
  const [isReady, setReady] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const [shown, setShown] = useState("");
  const [chosen, setChosen] = useState<boolean | null>(null);
  const [isUnreachable, setUnreachable] = useState(false);
  const background: Background = isUnreachable ? "unreachable" : (chosen ?? !drawing.isFictional) ? "on" : "off";

  useEffect(() => {
    if (container.current === null) return;
    let created: MapLibre;
    try {
      created = new MapLibre({
        container: container.current,
        style: STYLE,
        attributionControl: false,
        maxZoom: 21,
        dragRotate: false,
        pitchWithRotate: false,
        cooperativeGestures: false,
        scrollZoom: false, // the page scrolls; the buttons, two fingers and the keyboard zoom
        locale: t.controls,
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
    created.on("error", (event) => {
      if ("sourceId" in event && event.sourceId === BACKGROUND) setUnreachable(true);
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
    const current = map.current;
    current.setPaintProperty("ground", "background-color", GROUND[scheme]);
    current.setPaintProperty(BACKGROUND, "raster-brightness-max", scheme === "dark" ? 0.55 : 1);
    current.setPaintProperty("unit-line", "line-color", scheme === "dark" ? "#88c9aa" : "#0f5539");
  }, [isReady, scheme]);

  useEffect(() => {
    if (!isReady || map.current === null) return;
    map.current.setLayoutProperty(BACKGROUND, "visibility", background === "on" ? "visible" : "none");
  }, [isReady, background]);

  useEffect(() => {
    if (!isReady || map.current === null) return;
    const current = map.current;
    const { bounds } = drawing;
    const fit = () => bounds && current.fitBounds(bounds, { padding: PADDING_PX, maxZoom: CLOSEST, animate: false });
    current.getSource<GeoJSONSource>(FEATURES)?.setData(drawing.features);
    fit();
    current.on("resize", fit);
    const markers = drawing.labels.map(({ at, text, color }) =>
      new Marker({ element: label(text, color) }).setLngLat(at).addTo(current),
    );
    const written = drawing.sides.map((side) => sideMarker(side, hundredths(side.lengthM)));
    const showReadable = () => {
      for (const { marker, lengthM } of written) {
        if (lengthM / metresPerPixel(current) >= SIDE_TEXT_PX) marker.addTo(current);
        else marker.remove();
      }
    };
    showReadable();
    current.on("zoomend", showReadable);
    current.on("resize", showReadable);
    return () => {
      current.off("resize", fit);
      current.off("zoomend", showReadable);
      current.off("resize", showReadable);
      for (const marker of markers) marker.remove();
      for (const { marker } of written) marker.remove();
    };
  }, [isReady, drawing, hundredths]);

  const recentre = () =>
    drawing.bounds && map.current?.fitBounds(drawing.bounds, { padding: PADDING_PX, maxZoom: CLOSEST });

  if (hasFailed) return <Notice>{t.noWebGl}</Notice>;
  return (
    <div className={styles.frame}>
      <div ref={container} className={styles.map} data-shows={shown} data-testid="map" />
      <div className={styles.controls}>
        <Switch
          size="sm"
          label={t.background}
          checked={background === "on"}
          disabled={background === "unreachable"}
          onChange={(event) => setChosen(event.currentTarget.checked)}
        />
        <span className={styles.note} role="status">
          {background === "unreachable" ? t.unreachable : drawing.isFictional ? t.fictional : ""}
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

/** The kinds of features that the map currently renders. */
function renderedKinds(map: MapLibre): string {
  const layers = STYLE.layers.filter((layer) => "source" in layer && layer.source === FEATURES).map(({ id }) => id);
  const kinds = map.queryRenderedFeatures({ layers }).map(({ properties }) => String(properties.kind));
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

const STYLE: StyleSpecification = {
  version: 8,
  sources: {
    [BACKGROUND]: {
      type: "raster",
      tiles: [PLAN_IGN],
      tileSize: 256,
      maxzoom: 19,
      attribution: '<a href="https://www.ign.fr/" target="_blank" rel="noopener">© IGN, Plan IGN</a>',
    },
    [FEATURES]: { type: "geojson", data: { type: "FeatureCollection", features: [] } },
  },
  layers: [
    { id: "ground", type: "background", paint: { "background-color": GROUND.light } },
    { id: BACKGROUND, type: "raster", source: BACKGROUND, layout: { visibility: "none" } },
    {
      id: "unit",
      type: "fill",
      source: FEATURES,
      filter: ["==", ["get", "kind"], "unit"],
      paint: { "fill-color": "#25805a", "fill-opacity": 0.22 },
    },
    {
      id: "lot",
      type: "fill",
      source: FEATURES,
      filter: ["==", ["get", "kind"], "lot"],
      paint: { "fill-color": ["get", "color"], "fill-opacity": 0.55 },
    },
    {
      id: "lot-line",
      type: "line",
      source: FEATURES,
      filter: ["==", ["get", "kind"], "lot"],
      paint: { "line-color": ["get", "color"], "line-width": 2 },
    },
    {
      id: "way",
      type: "fill",
      source: FEATURES,
      filter: ["==", ["get", "kind"], "way"],
      paint: { "fill-color": "#b9b2a3", "fill-opacity": 0.8, "fill-outline-color": "#6f6a5e" },
    },
    {
      id: "building",
      type: "fill",
      source: FEATURES,
      filter: ["==", ["get", "kind"], "building"],
      paint: { "fill-color": "#5b6168", "fill-opacity": 0.75, "fill-outline-color": "#2c3136" },
    },
    {
      id: "unit-line",
      type: "line",
      source: FEATURES,
      filter: ["==", ["get", "kind"], "unit"],
      paint: { "line-color": "#0f5539", "line-width": 2.5 },
    },
    {
      id: "envelope",
      type: "line",
      source: FEATURES,
      filter: ["==", ["get", "kind"], "envelope"],
      paint: { "line-color": "#10130f", "line-width": 1.25, "line-dasharray": [3, 2] },
    },
    {
      id: "frontage",
      type: "line",
      source: FEATURES,
      filter: ["==", ["get", "kind"], "frontage"],
      paint: { "line-color": "#d55e00", "line-width": 4, "line-dasharray": [1.5, 1] },
    },
    {
      id: "point",
      type: "circle",
      source: FEATURES,
      filter: ["in", ["get", "kind"], ["literal", ["address", "alternative"]]],
      paint: {
        "circle-radius": ["match", ["get", "kind"], "address", 7, 5],
        "circle-color": ["match", ["get", "kind"], "address", "#c02626", "#8a8f94"],
        "circle-stroke-color": "#ffffff",
        "circle-stroke-width": 2,
      },
    },
  ],
};
