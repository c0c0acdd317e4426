// Dialogs of one key: its secret, rotation and revocation.
import { Button, Checkbox, Modal, NumberInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useEffect, useState } from "react";
import { useStatus } from "../../api/status";
import type { ApiKey, IssuedKey } from "../../api/types";
import { tryKey } from "../../shell/apiKey";
import { CopyButton } from "../../shell/CopyButton";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import { shellTexts } from "../../shell/texts";
import { call } from "../client";
import { Name } from "../components/elements";
import { ConfirmDialog, FormDialog, useFocusReturn } from "../components/FormDialog";
import styles from "./KeyDialogs.module.css";
import { keyTexts } from "./texts";

const MAX_GRACE_DAYS = 90;

/** Closes only after the user copied the key or confirmed it, since it cannot be shown again. */
export function SecretDialog({ issued, onClose }: { issued: IssuedKey; onClose: () => void }) {
  const t = useText(keyTexts);
  const s = useText(shellTexts);
  useFocusReturn();
  const { data: status } = useStatus();
  /** A test key answers from the demo commune only, as do the keys of visitors: where there are some, it is loaded. */
  const isDemo = issued.key.mode === "test" || status?.gives_visitor_keys === true;
  const [isKept, setKept] = useState(false);
  const [isWarned, setWarned] = useState(false);

  useEffect(() => {
    if (isKept) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isKept]);

  const close = () => (isKept ? onClose() : setWarned(true));
  return (
    <Modal
      opened
      onClose={close}
      title={t.secretTitle}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": s.close }}
    >
      <div className={styles.body}>
        <Name text={`${issued.key.partner.name} · ${issued.key.label}`} />
        <Notice tone="warning">{t.secretOnce}</Notice>
        <div className={styles.secret}>
          <code data-testid="secret">{issued.secret}</code>
          <CopyButton
            text={issued.secret}
            label={t.copySecret}
            variant="filled"
            size="sm"
            onCopied={() => setKept(true)}
          />
        </div>
        <div>
          <p className={styles.label}>{t.tryIt}</p>
          <pre className={styles.example}>{firstCall(issued, isDemo)}</pre>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<Icon name="external" size={16} />}
            onClick={() => tryKey(issued.secret)}
          >
            {t.tryKey}
          </Button>
        </div>
        {isWarned && !isKept && (
          <div role="alert">
            <Notice tone="warning">{t.notKept}</Notice>
          </div>
        )}
        <div className={styles.end}>
          <Checkbox label={t.kept} checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
          <Button onClick={close}>{t.done}</Button>
        </div>
      </div>
    </Modal>
  );
}

export function RotateDialog({
  apiKey,
  onRotated,
  onClose,
}: {
  apiKey: ApiKey;
  onRotated: (issued: IssuedKey) => void;
  onClose: () => void;
}) {
  const t = useText(keyTexts);
  const form = useForm({ initialValues: { grace_days: 7 as number | string } });
  const rotate = async () => {
    const body = { grace_days: Number(form.getValues().grace_days) || 0 };
    const issued = await call<IssuedKey>(`/api-keys/${encodeURIComponent(apiKey.id)}/rotate`, { method: "POST", body });
    onRotated(issued);
    return "stay";
  };
  return (
    <FormDialog
      conflict={t.notActive}
      title={t.rotateTitle}
      submitLabel={t.rotateNow}
      form={form}
      onSubmit={rotate}
      onClose={onClose}
    >
      <KeySummary apiKey={apiKey} />
      <p className={styles.text}>{t.rotateDetail}</p>
      <NumberInput
        label={t.graceDays}
        description={t.graceNote}
        min={0}
        max={MAX_GRACE_DAYS}
        allowDecimal={false}
        {...form.getInputProps("grace_days")}
      />
    </FormDialog>
  );
}

/** Suspends a key, or resumes it if it is suspended. */
export function SuspendDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useText(keyTexts);
  const isSuspended = apiKey.status === "suspended";
  return (
    <ConfirmDialog
      title={isSuspended ? t.resumeTitle : t.suspendTitle}
      submitLabel={isSuspended ? t.resume : t.suspend}
      send={[`/api-keys/${encodeURIComponent(apiKey.id)}/${isSuspended ? "resume" : "suspend"}`, "POST"]}
      onClose={onClose}
      isDangerous={!isSuspended}
    >
      <KeySummary apiKey={apiKey} />
      <p className={styles.text}>{isSuspended ? t.resumeDetail : t.suspendDetail}</p>
    </ConfirmDialog>
  );
}

export function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useText(keyTexts);
  const form = useForm({ initialValues: { typed: "" } });
  const revoke = () => call<ApiKey>(`/api-keys/${encodeURIComponent(apiKey.id)}/revoke`, { method: "POST" });
  const isTyped = form.values.typed.trim() === apiKey.id;
  return (
    <FormDialog
      title={t.revokeTitle}
      submitLabel={t.revoke}
      form={form}
      onSubmit={revoke}
      onClose={onClose}
      isDangerous
      canSubmit={isTyped}
    >
      <KeySummary apiKey={apiKey} />
      <p className={styles.text}>{t.revokeDetail}</p>
      <TextInput
        label={t.revokeType(apiKey.id)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps("typed")}
      />
    </FormDialog>
  );
}

function KeySummary({ apiKey }: { apiKey: ApiKey }) {
  return (
    <div className={styles.which}>
      <Name text={`${apiKey.partner.name} · ${apiKey.label}`} />
      <code>{apiKey.masked}</code>
    </div>
  );
}

function firstCall({ secret }: IssuedKey, isDemo: boolean): string {
  const label = isDemo ? "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction" : "10 rue de la Paix, 75002 Paris";
  return [
    `curl ${location.origin}/api/v1/addresses/resolve \\`,
    `  -H 'x-api-key: ${secret}' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"label": "${label}"}'`,
  ].join("\n");
}
