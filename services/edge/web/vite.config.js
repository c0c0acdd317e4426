// One page per folder with an index.html; everything that a page needs is built into /assets under a hashed name.
import { defineConfig } from "vite";

const pages = ["docs/index.html", "docs/public/index.html"];

export default defineConfig({
  base: "/",
  appType: "mpa",
  build: {
    outDir: "dist",
    assetsDir: "assets",
    assetsInlineLimit: 0, // the pages' policy takes no inline script or style
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000, // Swagger UI is one bundle
    rolldownOptions: { input: pages },
  },
});
