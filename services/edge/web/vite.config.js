// One page per folder with an index.html; everything that a page needs is built into /assets under a hashed name.
import { defineConfig } from "vite";
import { brotli } from "./brotli.js";
import { maplibre } from "./maplibre.js";
import { markdown } from "./markdown.js";
import { stylesLast } from "./styles_last.js";

const folders = ["404", "admin", "docs", "docs/public", "home", "playground", "terrain"];

export default defineConfig({
  base: "/",
  appType: "mpa",
  plugins: [maplibre(), markdown(), brotli(), stylesLast()],
  oxc: {
    jsx: { runtime: "automatic" },
    // MapLibre's source declares fields that the constructor of a base class fills.
    assumptions: { setPublicClassFields: true },
    typescript: { removeClassFieldsWithoutInitializer: true },
  },
  build: {
    outDir: "dist",
    assetsDir: "assets",
    assetsInlineLimit: 0, // the pages' policy forbids inline scripts and styles
    modulePreload: { polyfill: false },
    // Browsers with light-dark(): its replacement for older ones needs a fixed colour scheme.
    target: ["chrome123", "edge123", "firefox121", "safari17.5"],
    chunkSizeWarningLimit: 1200, // MapLibre is one bundle
    rolldownOptions: {
      input: folders.map((folder) => `${folder}/index.html`),
      output: {
        codeSplitting: {
          groups: [{ name: "base", minShareCount: 7 }],
        },
      },
      onLog: (level, log, show) => log.code === "MODULE_LEVEL_DIRECTIVE" || show(level, log), // about "use client": there is no server rendering
    },
  },
});
