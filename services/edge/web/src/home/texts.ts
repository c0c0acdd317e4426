import { translations } from "../shell/language";
import plain from "./texts.json";

export const homeTexts = translations(plain);
