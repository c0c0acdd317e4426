// A test key for a visitor without an account, if the service gives some.
import { Button } from "@mantine/core";
import { useVisitorKey } from "../api/visitorKey";
import { CopyableText } from "../shell/CopyButton";
import { useFormats } from "../shell/format";
import { useText } from "../shell/language";
import { ErrorNotice } from "../shell/states";
import styles from "./home.module.css";
import { homeTexts } from "./texts";

export function VisitorKey() {
  const t = useText(homeTexts);
  const f = useFormats();
  const created = useVisitorKey();
  return (
    <section className={styles.card} aria-labelledby="visitor-key">
      <h2 id="visitor-key">{t.visitorKey}</h2>
      <p className={styles.detail}>{t.visitorKeyDetail}</p>
      {created.isError && <ErrorNotice error={created.error} />}
      {created.data ? (
        <>
          <p className={styles.summary}>
            <CopyableText text={created.data.api_key} label={t.copyKey} />
          </p>
          <p className={styles.detail}>{t.keyUntil(f.instant(created.data.expires_at))}</p>
          <Button component="a" href="/terrain">
            {t.tryKey}
          </Button>
        </>
      ) : (
        <Button loading={created.isPending} onClick={() => created.mutate()}>
          {t.getKey}
        </Button>
      )}
    </section>
  );
}
