// What an answer says that the page shows already: each sentence is on the page once.

const MARKER = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const EMPHASIS = /^\*+|\*+$/g;
/** The texts of law after a sentence. The end of a text that is being written may lack its bracket. */
const REFERENCES = /(?:\s\([^()]*\)?)?\.?$/;
const HEADING = /^#{1,6}\s/;
const NESTED = /^\s{2,}\S/;
/** Shorter lines may be in a sentence by chance. */
const MIN_LENGTH = 12;

/** The Markdown without lines that are in a shown text, the lines nested in these, and headings without content. */
export function withoutShown(text: string, shown: readonly (string | undefined)[]): string {
  const texts = shown.map((each) => plain(each ?? ""));
  const kept: string[] = [];
  let isShown = false;
  for (const line of text.split("\n")) {
    if (isShown && NESTED.test(line)) continue;
    const sentence = plain(line).replace(REFERENCES, "");
    isShown = sentence.length >= MIN_LENGTH && texts.some((each) => each.includes(sentence));
    if (!isShown) kept.push(line);
  }
  return kept
    .filter((line, index) => !HEADING.test(line) || hasContent(kept.slice(index + 1)))
    .join("\n")
    .trim();
}

function plain(text: string): string {
  return text.replace(MARKER, "").replace(EMPHASIS, "").replace(/\s+/g, " ").trim();
}

function hasContent(following: readonly string[]): boolean {
  const next = following.find((line) => line.trim() !== "");
  return next !== undefined && !HEADING.test(next);
}
