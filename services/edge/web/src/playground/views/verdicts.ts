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
