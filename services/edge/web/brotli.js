// Vite plugin: writes a Brotli file beside each text file of the build. The edge serves it as it is.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const TEXT = /\.(html|js|css|svg|json)$/;
const MIN_BYTES = 1024;

export function brotli() {
  return {
    name: "brotli",
    apply: "build",
    writeBundle({ dir }) {
      for (const name of readdirSync(dir, { recursive: true })) {
        if (!TEXT.test(name)) continue;
        const content = readFileSync(join(dir, name));
        if (content.length <= MIN_BYTES) continue;
        const params = {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        };
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content, { params }));
      }
    },
  };
}
