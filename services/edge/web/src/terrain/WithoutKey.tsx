// What a visitor without a key sees in place of the map: a field for one, and a test key if the service gives some.
import { Button } from "@mantine/core";
import { useStatus } from "../api/status";
import { useVisitorKey } from "../api/visitorKey";
import { KeyForm } from "../playground/SecretField";
import { useText } from "../shell/language";
import { ErrorNotice } from "../shell/states";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";

export function WithoutKey() {
  const t = useText(terrainTexts);
  const { data: status } = useStatus();
  const created = useVisitorKey();
  return (
    <section className={styles.locked} aria-labelledby="needs-key">
      <h2 id="needs-key">{t.needsKey}</h2>
      <KeyForm className={styles.line ?? ""} submitLabel={t.useKey} />
      {status?.gives_visitor_keys && (
        <Button variant="default" loading={created.isPending} onClick={() => created.mutate()}>
          {t.visitorKey}
        </Button>
      )}
      {created.isError && <ErrorNotice error={created.error} />}
    </section>
  );
}
