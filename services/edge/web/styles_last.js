// Vite plugin: moves the style sheets below the placeholder. A browser shows nothing that follows a style sheet before that
// has arrived, and runs the scripts after it. On a slow network all files share the speed, so that takes seconds. The head
// names them first, so that they arrive before the scripts.
const STYLE_SHEETS = / *<link rel="stylesheet"[^>]*>\n/g;
const SCRIPTS = / *<script /;
const AFTER_PLACEHOLDER = / *<noscript>/;

export function stylesLast() {
  return {
    name: "styles-last",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const styles = (html.match(STYLE_SHEETS) ?? []).join("");
        const ahead = styles.replaceAll('rel="stylesheet"', 'rel="preload" as="style"');
        return html
          .replace(STYLE_SHEETS, "")
          .replace(SCRIPTS, (next) => ahead + next)
          .replace(AFTER_PLACEHOLDER, (next) => styles + next);
      },
    },
  };
}
