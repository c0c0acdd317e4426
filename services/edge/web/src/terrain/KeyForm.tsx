// What a visitor without a key sees in place of the map: a field for one, and a test key if the service gives some.
import { Button } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useStatus } from "../api/status";
import { useVisitorKey } from "../api/visitorKey";
import { SecretField } from "../playground/SecretField";
import { setApiKey } from "../shell/apiKey";
import { useText } from "../shell/language";
import { ErrorNotice } from "../shell/states";
import styles from "./terrain.module.css";
import { terrainTexts } from "./texts";

export function KeyForm() {
  const t = useText(terrainTexts);
  const { data: status } = useStatus();
  const [typed, setTyped] = useState("");
  const created = useVisitorKey();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setApiKey(typed);
  };
  return (
    <section className={styles.locked} aria-labelledby="needs-key">
      <h2 id="needs-key">{t.needsKey}</h2>
      <form onSubmit={submit} className={styles.line}>
        <SecretField label={t.key} value={typed} onChange={setTyped} />
        <Button type="submit" disabled={typed === ""}>
          {t.useKey}
        </Button>
      </form>
      {status?.gives_visitor_keys && (
        <Button variant="default" loading={created.isPending} onClick={() => created.mutate()}>
          {t.visitorKey}
        </Button>
      )}
      {created.isError && <ErrorNotice error={created.error} />}
    </section>
  );
}
