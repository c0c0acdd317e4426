import type { QuickAssessment } from "../../api/types";
import type { Tone } from "../../shell/states";

export const VERDICT_TONES: Readonly<Record<QuickAssessment["verdict"], Tone>> = {
  favourable: "success",
  conditional: "warning",
  unfavourable: "error",
  undetermined: "neutral",
};

/** How many checks the data decides, and how many there are. */
export function knownOf({ checks }: Pick<QuickAssessment, "checks">): [known: number, all: number] {
  return [checks.filter(({ status }) => status !== "unknown").length, checks.length];
}

const ARTICLE = ", art. ";

/** Articles of one code stand together: "Code de l'urbanisme, art. L424-1, L410-1". */
export function articlesOf(references: readonly string[]): string[] {
  const byText = new Map<string, string[]>();
  for (const reference of references) {
    const [text = "", article] = reference.split(ARTICLE);
    byText.set(text, [...(byText.get(text) ?? []), ...(article === undefined ? [] : [article])]);
  }
  return [...byText].map(([text, articles]) =>
    articles.length > 0 ? text + ARTICLE + articles.join(", ").replaceAll("-", "\u2011") : text,
  );
}
