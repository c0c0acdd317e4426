// The first setup, the sign-in, and the dialog that asks for the password when a session ends.
import { Button, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError } from "../api/client";
import icon from "../shell/icon.svg";
import { useText } from "../shell/language";
import { Page } from "../shell/Page";
import { CodeInput } from "./account/AccountDialogs";
import { completeSetup, readSession, signIn } from "./client";
import styles from "./Entrance.module.css";
import { entranceTexts } from "./entranceTexts";
import { Failure } from "./parts/Failure";
import { useSession } from "./session";
import { adminTexts } from "./texts";

const MIN_PASSWORD = 12;

export function SetupScreen() {
  const t = useText(entranceTexts);
  const a = useText(adminTexts);
  const { refresh } = useSession();
  const form = useForm({
    initialValues: { token: "", email: "", password: "", again: "" },
    validate: {
      token: (value) => (value.trim() ? null : a.required),
      email: (value) => (/^[^@\s]+@[^@\s]+$/.test(value.trim()) ? null : t.emailWrong),
      password: (value) => (value.length >= MIN_PASSWORD ? null : t.passwordShort),
      again: (value, values) => (value === values.password ? null : t.passwordsDiffer),
    },
  });
  const [send, isSending, error] = useSending(async () => {
    const { token, email, password } = form.getValues();
    try {
      await completeSetup(token.trim(), email, password);
    } catch (failure) {
      // The owner already exists, for example because the first answer was lost.
      if (failure instanceof ApiError && failure.code === "setup_closed") await refresh();
      throw failure;
    }
    await signIn(email, password);
    await refresh();
  });
  return (
    <Entrance title={t.setupTitle} intro={t.setupIntro}>
      <form className={styles.form} noValidate onSubmit={form.onSubmit(send)}>
        {error !== null && <Failure error={error} />}
        <TextInput
          label={t.setupToken}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps("token")}
        />
        <div className={styles.note}>
          {t.setupTokenNote}
          <Command text="keys setup-token" />
        </div>
        <TextInput label={t.email} type="email" autoComplete="username" {...form.getInputProps("email")} />
        <Password
          label={t.password}
          description={t.passwordNote}
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <Password label={t.passwordAgain} autoComplete="new-password" {...form.getInputProps("again")} />
        <Button type="submit" loading={isSending} fullWidth>
          {t.createOwner}
        </Button>
      </form>
    </Entrance>
  );
}

export function SignInScreen() {
  const t = useText(entranceTexts);
  return (
    <Entrance title={t.signInTitle} intro={t.signInIntro}>
      <SignInForm />
      <details className={styles.forgotten}>
        <summary>{t.forgotten}</summary>
        {t.forgottenDetail}
        <Command text="keys reset-password" />
      </details>
    </Entrance>
  );
}

/** A dialog over the page, which keeps its input. */
export function SignInAgain() {
  const t = useText(entranceTexts);
  const { isOver, state, leave } = useSession();
  return (
    <Modal
      opened={isOver}
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      zIndex={400}
      title={t.overTitle}
    >
      <p className={styles.overDetail}>{t.overDetail}</p>
      <SignInForm email={state.kind === "signed_in" ? state.admin.email : ""} />
      <Button variant="subtle" fullWidth mt="xs" onClick={() => void leave()}>
        {t.leave}
      </Button>
    </Modal>
  );
}

function SignInForm({ email = "" }: { email?: string }) {
  const t = useText(entranceTexts);
  const a = useText(adminTexts);
  const { refresh } = useSession();
  const [isCookieLost, setCookieLost] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const codeField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (needsCode) codeField.current?.focus();
  }, [needsCode]);
  const form = useForm({
    initialValues: { email, password: "", code: "" },
    validate: {
      email: (value) => (value.trim() ? null : a.required),
      password: (value) => (value ? null : a.required),
      code: (value) => (!needsCode || value.trim() ? null : a.required),
    },
  });
  const [send, isSending, error] = useSending(async () => {
    const values = form.getValues();
    try {
      await signIn(values.email.trim(), values.password, needsCode ? values.code.trim() : undefined);
    } catch (failure) {
      if (!(failure instanceof ApiError && failure.code === "totp_required")) throw failure;
      setNeedsCode(true);
      return;
    }
    try {
      await readSession();
    } catch (failure) {
      if (!(failure instanceof ApiError && failure.code === "sign_in_required")) throw failure;
      setCookieLost(true); // the browser drops a Secure cookie over plain http
      return;
    }
    await refresh();
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.onSubmit(send)}>
      {error !== null && <Failure error={error} />}
      {isCookieLost && <p role="alert">{t.cookieLost}</p>}
      <TextInput
        label={t.email}
        type="email"
        autoComplete="username"
        data-autofocus={!email || undefined}
        {...form.getInputProps("email")}
      />
      <Password
        label={t.password}
        autoComplete="current-password"
        data-autofocus={Boolean(email) || undefined}
        {...form.getInputProps("password")}
      />
      {needsCode && <CodeInput ref={codeField} description={t.codeNote} {...form.getInputProps("code")} />}
      <Button type="submit" loading={isSending} fullWidth>
        {t.signIn}
      </Button>
    </form>
  );
}

function Password(props: React.ComponentProps<typeof PasswordInput>) {
  const t = useText(entranceTexts);
  return <PasswordInput {...props} visibilityToggleButtonProps={{ "aria-label": t.showPassword, tabIndex: 0 }} />;
}

function Command({ text }: { text: string }) {
  return <code className={styles.command}>{text}</code>;
}

function Entrance({ title, intro, children }: { title: string; intro: string; children: ReactNode }) {
  return (
    <Page current="admin">
      <div className={styles.card}>
        <img src={icon} alt="" width="44" height="44" />
        <h1>{title}</h1>
        <p className={styles.intro}>{intro}</p>
        {children}
      </div>
    </Page>
  );
}

/** An action with its pending state and its error. */
function useSending(action: () => Promise<void>): [() => Promise<void>, boolean, unknown] {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async () => {
    setSending(true);
    setError(null);
    try {
      await action();
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  return [send, isSending, error];
}
