// The chapters of the guide, in the order of the page. A test finds one that is missing in a language.
export const CHAPTERS = [
  "start",
  "land",
  "ways",
  "stream",
  "errors",
  "limits",
  "retry",
  "billing",
  "data",
  "versions",
] as const;
export type Chapter = (typeof CHAPTERS)[number];

/** One language of the guide, from docs/guide. Its texts are HTML from the build. */
export interface GuideDocument {
  title: string;
  text: string;
  chapters: Record<Chapter, { title: string; before: string; after: string }>;
}
