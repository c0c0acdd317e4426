// The legal data of a partner: the members of its metadata that its statements show. Other members are internal notes.
import { translations } from "../../shell/language";

export const legalTexts = translations({
  legal_name: ["Raison sociale", "Legal name"],
  billing_address: ["Adresse de facturation", "Billing address"],
  siren: ["SIREN", "SIREN"],
  vat_number: ["N° de TVA", "VAT number"],
  contact: ["Contact", "Contact"],
});

export type LegalMember = keyof typeof legalTexts.fr;
export const LEGAL_MEMBERS = Object.keys(legalTexts.fr) as LegalMember[];

type Metadata = Readonly<Record<string, unknown>>;

export function legalData(metadata: Metadata): Record<LegalMember, string> {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return Object.fromEntries(LEGAL_MEMBERS.map((member) => [member, text(metadata[member])])) as Record<
    LegalMember,
    string
  >;
}

/** The metadata with this legal data. Empty members are removed, and other members stay. */
export function withLegalData(metadata: Metadata, legal: Record<LegalMember, string>): Record<string, unknown> {
  const others = Object.entries(metadata).filter(([name]) => !(name in legalTexts.fr));
  const given = LEGAL_MEMBERS.map((member) => [member, legal[member].trim()] as const).filter(([, value]) => value);
  return Object.fromEntries([...others, ...given]);
}

/** Whether the text is a SIREN number: nine digits with a Luhn check digit. Spaces do not count. */
export function isSiren(text: string): boolean {
  const digits = text.replace(/\s/g, "");
  if (!/^\d{9}$/.test(digits)) return false;
  const sum = [...digits].reduce((all, digit, index) => {
    const weighted = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return all + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return sum % 10 === 0;
}
