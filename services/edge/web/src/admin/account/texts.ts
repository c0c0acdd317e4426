// The texts of setup, sign-in and the admin's own account.
import { translations } from "../../shell/language";
import plain from "./texts.json";

export const accountTexts = translations(plain);
