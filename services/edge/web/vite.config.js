// One page per folder with an index.html; everything that a page needs is built into /assets under a hashed name.
import { defineConfig } from "vite";

const pages = ["admin/index.html", "docs/index.html", "docs/public/index.html", "playground/index.html"];

export default defineConfig({
  base: "/",
  appType: "mpa",
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "dist",
    assetsDir: "assets",
    assetsInlineLimit: 0, // the pages' policy takes no inline script or style
    modulePreload: { polyfill: false },
    // Those that know light-dark() by themselves: what stands for it elsewhere needs a fixed scheme.
    target: ["chrome123", "edge123", "firefox121", "safari17.5"],
    chunkSizeWarningLimit: 2000, // Swagger UI is one bundle
    rolldownOptions: {
      input: pages,
      onLog: (level, log, show) => log.code === "MODULE_LEVEL_DIRECTIVE" || show(level, log), // "use client": no server here
    },
  },
});
