import { translations } from "../../shell/language";
import plain from "./texts.json";

export const teamTexts = translations(plain);
