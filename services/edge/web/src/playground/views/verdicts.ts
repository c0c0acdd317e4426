import type { QuickAssessment } from "../../api/types";
import type { Tone } from "../../shell/states";

export const VERDICT_TONES: Readonly<Record<QuickAssessment["verdict"], Tone>> = {
  favourable: "success",
  conditional: "warning",
  unfavourable: "error",
  undetermined: "neutral",
};
