// Vite plugin: builds MapLibre from its source. Its own build has two bundles, of the map and of its worker, and most of
// the code is in both. Here both share a chunk, and what the pages do not import is left out.
const SOURCE = "maplibre-gl/src/";
const WORKER = "maplibre-gl/worker";
const NOTICE = `/*! MapLibre GL JS. 3-Clause BSD. https://github.com/maplibre/maplibre-gl-js/blob/main/LICENSE.txt */`;

export function maplibre() {
  let root = "";
  return {
    name: "maplibre",
    enforce: "pre",
    apply: "build",
    async resolveId(id, importer) {
      if (id !== "maplibre-gl" && id !== WORKER) return null;
      const { id: manifest } = await this.resolve("maplibre-gl/package.json", importer, { skipSelf: true });
      root = manifest.replace("package.json", "src/");
      return id === WORKER ? `\0${WORKER}` : `${root}index.ts`;
    },
    load(id) {
      if (id !== `\0${WORKER}`) return null;
      const worker = this.emitFile({ type: "chunk", id: `${root}source/worker.ts`, name: "maplibre-gl-worker" });
      return `export default import.meta.ROLLUP_FILE_URL_${worker};`;
    },
    renderChunk(code, chunk) {
      return chunk.moduleIds.some((id) => id.includes(SOURCE)) ? `${NOTICE}\n${code}` : null;
    },
  };
}
