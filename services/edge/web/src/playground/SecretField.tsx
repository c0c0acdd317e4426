// A field for the API key, which stays in memory, or for another secret.
import { PasswordInput } from "@mantine/core";
import { setApiKey, useApiKey } from "../shell/apiKey";
import { useText } from "../shell/language";
import styles from "./playground.module.css";
import { texts } from "./texts";

const KEY_START = /^lp_(live|test)_/;

export function KeyField() {
  const t = useText(texts);
  const apiKey = useApiKey();
  const error = apiKey === "" ? t.keyMissing : KEY_START.test(apiKey) ? undefined : t.keyForm;
  return <SecretField label={t.key} value={apiKey} onChange={setApiKey} error={error} />;
}

export function SecretField({
  label,
  note,
  value,
  onChange,
  error,
}: {
  label: string;
  /** In place of the words on where it is kept. */
  note?: string;
  value: string;
  onChange: (secret: string) => void;
  error?: string | undefined;
}) {
  const t = useText(texts);
  return (
    <PasswordInput
      className={styles.key}
      size="xs"
      label={label}
      description={note ?? (value === "" ? t.keyHint : undefined)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      error={error}
      placeholder="lp_live_…"
      autoComplete="off"
      data-1p-ignore
      data-lpignore="true"
      spellCheck={false}
    />
  );
}
