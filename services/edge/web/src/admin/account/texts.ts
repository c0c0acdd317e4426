// The texts of setup, sign-in and the admin's own account.
import { translations } from "../../shell/language";
import plain from "./texts.json";

export const accountTexts = translations({
  ...plain,
  leavesSession: [
    (email: string) => `Vous êtes connecté en tant que ${email}. Accepter met fin à cette session.`,
    (email: string) => `You are signed in as ${email}. If you accept, that session ends.`,
  ],
});
