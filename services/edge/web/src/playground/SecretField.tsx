// A field for the API key, which stays in memory, or for another secret.
import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { setApiKey, useApiKey } from "../shell/apiKey";
import { useText } from "../shell/language";
import styles from "./playground.module.css";
import { texts } from "./texts";

const KEY_START = /^lp_(live|test)_/;

/** A missing key is a fault once a request was sent, or the key was removed. */
export function KeyField({ isTried }: { isTried: boolean }) {
  const t = useText(texts);
  const apiKey = useApiKey();
  const [isEdited, setEdited] = useState(false);
  const change = (key: string) => {
    setEdited(true);
    setApiKey(key);
  };
  const missing = isTried || isEdited ? t.keyMissing : undefined;
  const error = apiKey === "" ? missing : KEY_START.test(apiKey) ? undefined : t.keyForm;
  return <SecretField value={apiKey} onChange={change} error={error} />;
}

/** A field whose key is used once the form is sent, not with each of its characters. */
export function KeyForm({ className, submitLabel, note }: { className: string; submitLabel: string; note?: string }) {
  const apiKey = useApiKey();
  const [typed, setTyped] = useState(apiKey);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setApiKey(typed);
  };
  return (
    <form className={className} onSubmit={submit}>
      <SecretField value={typed} onChange={setTyped} note={note} />
      <Button type="submit" disabled={typed === "" || typed === apiKey}>
        {submitLabel}
      </Button>
    </form>
  );
}

export function SecretField({
  label,
  note,
  value,
  onChange,
  error,
}: {
  /** In place of that of an API key. */
  label?: string;
  /** In place of the words on where it is kept. */
  note?: string | undefined;
  value: string;
  onChange: (secret: string) => void;
  error?: string | undefined;
}) {
  const t = useText(texts);
  return (
    <PasswordInput
      className={styles.key}
      size="xs"
      label={label ?? t.key}
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
