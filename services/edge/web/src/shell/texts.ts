import { translations } from "./language";
import plain from "./texts.json";

export const shellTexts = translations(plain);
