// Vite plugin: moves the style sheets before the scripts. A browser has six connections to a server, and shows nothing
// before the style sheets have arrived.
const STYLE_SHEETS = / *<link rel="stylesheet"[^>]*>\n/g;
const FIRST_SCRIPT = / *<script type="module"/;

export function stylesFirst() {
  return {
    name: "styles-first",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const styles = (html.match(STYLE_SHEETS) ?? []).join("");
        return html.replace(STYLE_SHEETS, "").replace(FIRST_SCRIPT, (script) => styles + script);
      },
    },
  };
}
