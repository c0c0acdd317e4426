// How texts are compared, as keys does it: "ÉTUDE  d’Œuvre" and "Etude d'oeuvre" are the same.

const LETTERS: Readonly<Record<string, string>> = { œ: "oe", æ: "ae", ø: "o", ł: "l", đ: "d", ß: "ss" };

/** The text without accents and case, with plain letters, apostrophes and single spaces. */
export function folded(text: string): string {
  const quoted = text
    .replace(/[’‘ʼ`´]/g, "'")
    .toLowerCase()
    .normalize("NFKD");
  const plain = quoted.replace(/\p{M}/gu, "").replace(/[œæøłđß]/g, (letter) => LETTERS[letter] ?? letter);
  return plain.split(/\s+/).filter(Boolean).join(" ");
}
