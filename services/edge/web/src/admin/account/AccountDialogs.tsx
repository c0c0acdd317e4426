// Dialogs for the admin's own account: the password and the second factor.
import { useForm } from "@mantine/form";
import { type ComponentProps, useState } from "react";
import type { TotpEnrolment } from "../../api/types";
import { CopyButton } from "../../shell/CopyButton";
import { useText } from "../../shell/language";
import { call, SLOW_MS } from "../client";
import { FormDialog } from "../components/FormDialog";
import { CodeField, PasswordField, useFieldRules } from "../components/fields";
import { useSession } from "../session";
import styles from "./AccountDialogs.module.css";
import { accountTexts } from "./texts";

export type AccountTask = "password" | "enrol" | "remove";

export function AccountDialog({ task, onClose }: { task: AccountTask; onClose: () => void }) {
  switch (task) {
    case "password":
      return <PasswordForm onClose={onClose} />;
    case "enrol":
      return <EnrolForm onClose={onClose} />;
    case "remove":
      return <RemoveForm onClose={onClose} />;
  }
}

function PasswordForm({ onClose }: { onClose: () => void }) {
  const t = useText(accountTexts);
  const rules = useFieldRules();
  const form = useForm({
    initialValues: { current_password: "", new_password: "", again: "" },
    validate: {
      current_password: rules.password,
      new_password: rules.newPassword,
      again: (value, values) => rules.repeated(value, values.new_password),
    },
  });
  const change = async () => {
    const { current_password, new_password } = form.getValues();
    await post("/session/password", { current_password, new_password });
  };
  return (
    <FormDialog title={t.changePassword} submitLabel={t.change} form={form} onSubmit={change} onClose={onClose}>
      <CurrentPassword {...form.getInputProps("current_password")} />
      <PasswordField
        label={t.newPassword}
        description={t.passwordNote}
        autoComplete="new-password"
        {...form.getInputProps("new_password")}
      />
      <PasswordField label={t.newPasswordAgain} autoComplete="new-password" {...form.getInputProps("again")} />
    </FormDialog>
  );
}

function CurrentPassword(props: ComponentProps<typeof PasswordField>) {
  const { currentPassword } = useText(accountTexts);
  return <PasswordField label={currentPassword} autoComplete="current-password" data-autofocus {...props} />;
}

/** Asks for the password and shows the secret, then confirms it with a code of the app. */
function EnrolForm({ onClose }: { onClose: () => void }) {
  const t = useText(accountTexts);
  const rules = useFieldRules();
  const { refresh } = useSession();
  const [enrolment, setEnrolment] = useState<TotpEnrolment | null>(null);
  const form = useForm({
    initialValues: { password: "", code: "" },
    validate: {
      password: rules.password,
      code: (value) => (enrolment === null ? null : rules.required(value)),
    },
  });
  const send = async () => {
    const { password, code } = form.getValues();
    if (enrolment === null) {
      setEnrolment(await post<TotpEnrolment>("/session/totp", { password }));
      return "stay";
    }
    await post("/session/totp/confirm", { code });
    return refresh();
  };
  return (
    <FormDialog
      title={t.enrol}
      submitLabel={enrolment === null ? t.next : t.confirm}
      form={form}
      onSubmit={send}
      onClose={onClose}
      conflict={t.conflict}
    >
      {enrolment === null ? (
        <>
          <p className={styles.text}>{t.enrolNote}</p>
          <CurrentPassword {...form.getInputProps("password")} />
        </>
      ) : (
        <>
          <TotpSecret enrolment={enrolment} />
          <CodeField {...form.getInputProps("code")} />
        </>
      )}
    </FormDialog>
  );
}

/** The secret for the authenticator app, shown once. */
export function TotpSecret({ enrolment }: { enrolment: TotpEnrolment }) {
  const t = useText(accountTexts);
  return (
    <>
      <p className={styles.text}>{t.secretNote}</p>
      <div className={styles.secret}>
        <code data-testid="totp-secret">{enrolment.secret}</code>
        <CopyButton text={enrolment.secret} label={t.copySecret} />
        <a href={enrolment.uri}>{t.openApp}</a>
      </div>
    </>
  );
}

function RemoveForm({ onClose }: { onClose: () => void }) {
  const t = useText(accountTexts);
  const rules = useFieldRules();
  const { refresh } = useSession();
  const form = useForm({
    initialValues: { password: "", code: "" },
    validate: {
      password: rules.password,
      code: rules.required,
    },
  });
  const remove = async () => {
    await post("/session/totp/remove", form.getValues());
    await refresh();
  };
  return (
    <FormDialog
      title={t.remove}
      submitLabel={t.removeYes}
      form={form}
      onSubmit={remove}
      onClose={onClose}
      conflict={t.conflict}
      isDangerous
    >
      <p className={styles.text}>{t.removeNote}</p>
      <CurrentPassword {...form.getInputProps("password")} />
      <CodeField {...form.getInputProps("code")} />
    </FormDialog>
  );
}

export function post<T = void>(path: string, body: unknown): Promise<T> {
  return call<T>(path, { method: "POST", body, timeoutMs: SLOW_MS });
}
