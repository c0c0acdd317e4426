import { type Pair, translations } from "../shell/language";
import type { FilePhase, Form, Route } from "./lines";

export const fileTexts = translations({
  about: [
    "Jusqu’à 10\u00a0000 lignes en CSV ou NDJSON. Seules les lignes réussies sont facturées.",
    "Up to 10,000 lines of CSV or NDJSON. Only lines that succeed are billed.",
  ],
  perLine: [(units: string) => `Une ligne réussie : ${units}.`, (units: string) => `A line that succeeds: ${units}.`],
  route: ["Ce que contient le fichier", "What the file holds"],
  routes: {
    addresses: ["Des adresses", "Addresses"],
    units: ["Des terrains", "Land"],
  } satisfies Record<Route, Pair>,
  file: ["Choisir un fichier", "Choose a file"],
  clearFile: ["Retirer le fichier", "Remove the file"],
  fileHint: ["Ou collez ses lignes ci-dessous.", "Or paste its lines below."],
  lines: ["Lignes", "Lines"],
  columns: ["Colonnes envoyées", "Columns to send"],
  columnsHint: [
    "Pour chaque champ, la colonne ou le membre de votre fichier qui le contient.",
    "For each field, the column or member of your file that holds it.",
  ],
  noColumn: ["aucune", "none"],
  firstLines: ["Premières lignes", "First lines"],
  errors: ["Lignes en erreur", "Lines that failed"],
  line: ["Ligne", "Line"],
  reason: ["Raison", "Reason"],
  moreErrors: [
    (count: string) => `Et ${count} autres, dans le résultat.`,
    (count: string) => `And ${count} more, in the result.`,
  ],
  form: ["Forme du résultat", "Form of the result"],
  forms: {
    ndjson: ["NDJSON", "NDJSON"],
    csv: ["CSV", "CSV"],
    geopackage: ["GeoPackage", "GeoPackage"],
  } satisfies Record<Form, Pair>,
  send: ["Envoyer le fichier", "Send the file"],
  resume: ["Reprendre", "Resume"],
  download: ["Télécharger le résultat", "Download the result"],
  result: ["Résultat", "Result"],
  nothingYet: ["Pas encore de résultat", "No result yet"],
  nothingYetDetail: [
    "Donnez votre clé, choisissez un fichier et envoyez-le.",
    "Give your key, choose a file and send it.",
  ],
  progress: [
    (answered: string, total: string, failed: string) =>
      `Lignes traitées : ${answered} sur ${total}, dont ${failed} en erreur`,
    (answered: string, total: string, failed: string) => `${answered} of ${total} lines, ${failed} of them failed`,
  ],
  phases: {
    sending: ["Envoi du fichier…", "Sending the file…"],
    receiving: ["Traitement en cours…", "Working…"],
    done: ["Terminé", "Done"],
    cancelled: [
      "Annulé. Les lignes déjà traitées comptent\u00a0; une reprise ne les compte pas deux fois.",
      "Cancelled. Lines that were answered count; a resumed file does not count them twice.",
    ],
    refused: ["Le service a refusé le fichier", "The service refused the file"],
    interrupted: [
      "La connexion est coupée. Reprenez\u00a0: aucune ligne n’est comptée deux fois.",
      "The connection broke off. Resume: no line is counted twice.",
    ],
  } satisfies Record<FilePhase, Pair>,
});
