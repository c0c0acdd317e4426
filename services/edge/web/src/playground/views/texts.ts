import type { CheckStatus, CoverageState, QuickAssessment } from "../../api/types";
import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const viewTexts = translations({
  ...plain,
  riskSubjects: plain.riskSubjects as Record<string, PlainPair>,
  riskLevels: plain.riskLevels as Record<string, PlainPair>,
  riskStatuses: plain.riskStatuses as Record<string, PlainPair>,
  riskGrains: plain.riskGrains as Record<string, PlainPair>,
  aspects: plain.aspects as Record<string, PlainPair>,
  readStates: plain.readStates as Record<string, PlainPair>,
  unreadReasons: plain.unreadReasons as Record<string, PlainPair>,
  ruleStates: plain.ruleStates as Record<string, PlainPair>,
  kinds: plain.kinds as Record<string, PlainPair>,
  kindBases: plain.kindBases as Record<string, PlainPair>,
  coverages: plain.coverages satisfies Record<CoverageState, PlainPair>,
  datasetsMissing: [
    (count: number) =>
      count === 1 ? "1 jeu de données manque ou est incomplet" : `${count} jeux de données manquent ou sont incomplets`,
    (count: number) =>
      count === 1 ? "1 dataset is missing or incomplete" : `${count} datasets are missing or incomplete`,
  ],
  verdicts: plain.verdicts satisfies Record<QuickAssessment["verdict"], PlainPair>,
  statuses: plain.statuses satisfies Record<CheckStatus, PlainPair>,
  roles: plain.roles as Record<string, PlainPair>,
  sideKinds: plain.sideKinds as Record<string, PlainPair>,
  fileStates: plain.fileStates satisfies Record<"unreachable", PlainPair>,
  writtenBy: [
    (provider: string, model: string | null) =>
      provider === "rules" ? "Rédigée par les règles" : `Rédigée par un modèle (${model ?? provider})`,
    (provider: string, model: string | null) =>
      provider === "rules" ? "Written by the rules" : `Written by a model (${model ?? provider})`,
  ],
});
