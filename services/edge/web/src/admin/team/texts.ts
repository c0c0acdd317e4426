import { translations } from "../../shell/language";
import plain from "./texts.json";

export const teamTexts = translations({
  ...plain,
  editAdmin: [(email: string) => `Modifier ${email}`, (email: string) => `Edit ${email}`],
  newLinkFor: [(email: string) => `Nouveau lien pour ${email}`, (email: string) => `New link for ${email}`],
  linkFor: [
    (email: string, until: string) => `Pour ${email}, jusqu’au ${until}.`,
    (email: string, until: string) => `For ${email}, until ${until}.`,
  ],
  revokeInvitationOf: [
    (email: string) => `Révoquer l’invitation de ${email}`,
    (email: string) => `Revoke the invitation of ${email}`,
  ],
  revokeOne: [(label: string) => `Révoquer le jeton ${label}`, (label: string) => `Revoke the token ${label}`],
});
