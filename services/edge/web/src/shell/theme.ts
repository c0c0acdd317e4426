// Colours and defaults of the component library.
//
// The pages' content security policy forbids style elements, so Mantine's variables are in a constructed style sheet.
// Components that write style elements (AppShell, Grid, SimpleGrid, Flex and style properties by breakpoint) are not
// used; CSS modules replace them.
import {
  type CSSVariablesResolver,
  convertCssVariables,
  createTheme,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  type MantineColorsTuple,
  mergeMantineTheme,
} from "@mantine/core";

const field: MantineColorsTuple = [
  "#ecf8f2",
  "#daeee4",
  "#b3dcc8",
  "#88c9aa",
  "#64b990",
  "#4daf80",
  "#3d9d70",
  "#25805a",
  "#1c6b4b",
  "#0f5539",
];

export const theme = createTheme({
  colors: { field },
  primaryColor: "field",
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: "650" },
});

/** Replaces the library's colours that have a contrast below 4.5 to 1. */
const contrast: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#596068",
    "--mantine-color-placeholder": "#6b7279",
    "--mantine-color-error": "#c02626",
    "--mantine-color-body": "#ffffff",
    "--lp-canvas": "#f6f8f7",
    "--lp-line": "#dfe4e1",
    "--lp-hover": "#f0f4f2",
  },
  dark: {
    "--mantine-color-dimmed": "#a3aab2",
    "--mantine-color-placeholder": "#8d949b",
    "--mantine-color-error": "#ff8f8f",
    "--mantine-color-body": "#1b1f1d",
    "--lp-canvas": "#131614",
    "--lp-line": "#343b37",
    "--lp-hover": "#252b28",
  },
});

/** Black on white, in both themes. */
const ON_PAPER = {
  "--mantine-color-text": "#000",
  "--mantine-color-dimmed": "#333",
  "--mantine-color-anchor": "#000",
  "--lp-canvas": "#fff",
  "--lp-hover": "#fff",
  "--lp-line": "#999",
};

/** Adds the theme's variables to the page. Call it once, before the first render. */
export function adoptTheme(): void {
  const whole = mergeMantineTheme(DEFAULT_THEME, theme);
  const own = contrast(whole);
  const all = defaultCssVariablesResolver(whole);
  const variables = { ...all.variables, ...own.variables };
  const light = { ...all.light, ...own.light, "--mantine-color-scheme": "light" };
  const dark = { ...all.dark, ...own.dark, "--mantine-color-scheme": "dark" };
  const screen = new CSSStyleSheet();
  screen.replaceSync(convertCssVariables({ variables, light, dark }, ":root"));
  const paper = new CSSStyleSheet({ media: "print" });
  const printed = { ...light, ...ON_PAPER };
  paper.replaceSync(convertCssVariables({ variables: {}, light: printed, dark: printed }, ":root"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, screen, paper];
}
