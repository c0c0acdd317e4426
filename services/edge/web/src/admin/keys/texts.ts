import { type PlainPair, translations } from "../../shell/language";
import plain from "./texts.json";

export const keyTexts = translations({
  ...plain,
  sorts: plain.sorts as Record<string, PlainPair>,
  perMonth: [(count: string) => `${count} u./mois`, (count: string) => `${count} units/mo`],
  perMinute: [(count: string) => `${count} req./min`, (count: string) => `${count} req./min`],
  feePerMonth: [(amount: string) => `${amount}/mois`, (amount: string) => `${amount}/month`],
  capped: [(amount: string) => `≤ ${amount}`, (amount: string) => `≤ ${amount}`],
  calls: [(count: string) => `${count} appels/mois`, (count: string) => `${count} calls/month`],
  tokens: [(count: string) => `${count} jetons/mois`, (count: string) => `${count} tokens/month`],
  moreActions: [(id: string) => `Autres actions sur la clé ${id}`, (id: string) => `More actions on key ${id}`],
  priceDefault: [
    (plan: string) => `Tarif par défaut du partenaire : ${plan}`,
    (plan: string) => `Default plan of the partner: ${plan}`,
  ],
  feeDue: [
    (fee: string) => `Dès sa création, la clé doit l’abonnement du mois entier : ${fee} HT, sans prorata.`,
    (fee: string) => `Once created, the key owes the fee of the whole month: ${fee} net, not pro rata.`,
  ],
  feeByDays: [
    (fee: string) => `Dès sa création, la clé doit, au prorata des jours, l’abonnement mensuel de ${fee} HT.`,
    (fee: string) => `Once created, the key owes the monthly fee of ${fee} net, pro rata by days.`,
  ],
  editTitle: [(id: string) => `Modifier la clé ${id}`, (id: string) => `Edit key ${id}`],
  revokeType: [(id: string) => `Saisissez ${id} pour confirmer`, (id: string) => `Type ${id} to confirm`],
  count: [
    (count: number, text: string) => (count < 2 ? `${text} clé` : `${text} clés`),
    (count: number, text: string) => (count === 1 ? `${text} key` : `${text} keys`),
  ],
  ofQuota: [(share: string) => `${share} du quota`, (share: string) => `${share} of the quota`],
  dailyRequests: [
    (count: string) => `Requêtes des 30 derniers jours : ${count}`,
    (count: string) => `Requests of the last 30 days: ${count}`,
  ],
});
