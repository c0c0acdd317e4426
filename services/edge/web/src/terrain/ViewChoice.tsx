// The two views of the same requests: the page for people, and the developer's.
import type { Task } from "../playground/requests";
import { useText } from "../shell/language";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";

export function ViewChoice({ current, task }: { current: "people" | "developer"; task?: Task }) {
  const t = useText(terrainTexts);
  const views = [
    ["people", "/terrain"],
    ["developer", `/playground${task ? `#${task}` : ""}`],
  ] as const;
  return (
    <nav className={`${styles.views} lp-screen`} aria-label={t.views}>
      {views.map(([name, address]) => (
        <a key={name} href={address} aria-current={name === current ? "true" : undefined}>
          {t[name]}
        </a>
      ))}
    </nav>
  );
}
