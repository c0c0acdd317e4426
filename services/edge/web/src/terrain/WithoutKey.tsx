// What takes the place of the map where the service gives no key by itself, or where someone has a key of their own.
import { KeyForm } from "../playground/SecretField";
import { useText } from "../shell/language";
import { ErrorNotice } from "../shell/states";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";

export function WithoutKey({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  const t = useText(terrainTexts);
  return (
    <section className={styles.locked} aria-labelledby="needs-key">
      <h2 id="needs-key">{t.needsKey}</h2>
      {error && <ErrorNotice error={error} onRetry={onRetry} />}
      <KeyForm className={styles.line ?? ""} submitLabel={t.useKey} />
    </section>
  );
}
