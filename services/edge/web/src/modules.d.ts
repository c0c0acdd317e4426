declare module "*.svg" {
  const address: string;
  export default address;
}
declare module "*/guide/en.md" {
  const content: import("./docs/chapters").GuideDocument;
  export default content;
}
declare module "*/guide/fr.md" {
  const content: import("./docs/chapters").GuideDocument;
  export default content;
}
declare module "*.md" {
  const content: import("./docs/MarkdownPage").MarkdownDocument;
  export default content;
}
declare module "*.json?url" {
  const address: string;
  export default address;
}
declare module "*.css";
declare module "*.module.css" {
  const names: Readonly<Record<string, string>>;
  export default names;
}
declare module "maplibre-gl/worker" {
  const address: string;
  export default address;
}
interface ImportMeta {
  /** The modules of a pattern, by their paths (Vite). */
  glob<Module>(pattern: string): Record<string, () => Promise<Module>>;
}
