// The typography of French: spaces that do not break a line.

/** No-break spaces before : ; ! ? % € and inside « »; before ; ! ? and between thousands they are narrow. */
export function typeset(french: string): string {
  return french
    .replace(/(?<=\S)[ \u00a0](?=[;!?](?!\w))|(?<=\d) (?=\d{3}(?!\d))/g, "\u202f")
    .replace(/(?<=\S) (?=[%€»](?!\w)|:(?![\w:/-]))|(?<=«) /g, "\u00a0");
}
