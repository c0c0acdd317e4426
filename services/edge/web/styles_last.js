// Vite plugin: moves the style sheets below the placeholder. A browser shows nothing that follows a style sheet before that
// has arrived, and runs the scripts after it. On a slow network all files share the speed, so that takes seconds.
const STYLE_SHEETS = / *<link rel="stylesheet"[^>]*>\n/g;
const AFTER_PLACEHOLDER = / *<noscript>/;

export function stylesLast() {
  return {
    name: "styles-last",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const styles = (html.match(STYLE_SHEETS) ?? []).join("");
        return html.replace(STYLE_SHEETS, "").replace(AFTER_PLACEHOLDER, (next) => styles + next);
      },
    },
  };
}
