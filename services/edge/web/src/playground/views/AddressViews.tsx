// What the address of a place answers.
import type { ReverseAnswer } from "../../api/types";
import { useText } from "../../shell/language";
import { Facts, useUnits } from "./components";
import { type OnUse, ResolveView } from "./ResolveView";
import { viewTexts } from "./texts";
import styles from "./views.module.css";

export function ReverseView({ answer, onUse }: { answer: ReverseAnswer; onUse: OnUse }) {
  const t = useText(viewTexts);
  const units = useUnits();
  return (
    <div className={styles.view}>
      <Facts facts={[[t.distance, units.length(answer.distance_m)]]} />
      <ResolveView answer={{ ...answer, alternatives: [] }} onUse={onUse} />
    </div>
  );
}
