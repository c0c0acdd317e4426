import type { CheckStatus, CoverageState, QuickAssessment } from "../../api/types";
import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const viewTexts = translations({
  ...plain,
  named: [
    (name: string, value: string) => `${name}\u00a0: ${value}`,
    (name: string, value: string) => `${name}: ${value}`,
  ],
  riskSubjects: plain.riskSubjects as Record<string, PlainPair>,
  riskLevel: [(level: string) => `niveau ${level}`, (level: string) => `level ${level}`],
  riskLevels: plain.riskLevels as Record<string, PlainPair>,
  riskStatuses: plain.riskStatuses as Record<string, PlainPair>,
  riskGrains: plain.riskGrains as Record<string, PlainPair>,
  onTheGround: [
    (projection: string, scale: string) => `au sol ; dans le plan de ${projection}, longueurs × ${scale}`,
    (projection: string, scale: string) => `on the ground; in the plane of ${projection}, lengths × ${scale}`,
  ],
  aspects: plain.aspects as Record<string, PlainPair>,
  regulationOf: [(zone: string) => `Règlement de la zone ${zone}`, (zone: string) => `Regulation of zone ${zone}`],
  readAutomatically: [
    (document: string) => `Lecture automatique, à vérifier dans le document : ${document}.`,
    (document: string) => `Read automatically, to be checked in the document: ${document}.`,
  ],
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
  knownChecks: [
    (known: number, all: number) => `Points connus\u00a0: ${known} sur ${all}`,
    (known: number, all: number) => `Points known: ${known} of ${all}`,
  ],
  openChecks: [
    (count: number) => `À régler ou à vérifier (${count})`,
    (count: number) => `To settle or to check (${count})`,
  ],
  foldedChecks: [
    (count: number) => `Points acquis, ou dits dans la réponse (${count})`,
    (count: number) => `Points established, or stated in the answer (${count})`,
  ],
  withBuilding: [(role: string) => `${role}, avec un bâtiment`, (role: string) => `${role}, with a building`],
  statuses: plain.statuses satisfies Record<CheckStatus, PlainPair>,
  proposal: [(rank: number) => `Découpage ${rank}`, (rank: number) => `Proposal ${rank}`],
  roles: plain.roles as Record<string, PlainPair>,
  sideKinds: plain.sideKinds as Record<string, PlainPair>,
  dxf: [(rank: number) => `DXF du découpage ${rank}`, (rank: number) => `DXF of proposal ${rank}`],
  fileStates: plain.fileStates satisfies Record<"unreachable", PlainPair>,
  writtenBy: [
    (provider: string, model: string | null) =>
      provider === "rules" ? "Rédigée par les règles" : `Rédigée par un modèle (${model ?? provider})`,
    (provider: string, model: string | null) =>
      provider === "rules" ? "Written by the rules" : `Written by a model (${model ?? provider})`,
  ],
});
