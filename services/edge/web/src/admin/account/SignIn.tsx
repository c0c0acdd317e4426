// The first setup, the sign-in, the required second factor, and the dialog that asks for the password when a session ends.
import { Button, Modal, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/client";
import type { Admin } from "../../api/types";
import icon from "../../shell/icon.svg";
import { useText } from "../../shell/language";
import { Page } from "../../shell/Page";
import { beginSingleSignOn, completeSetup, readSession, readSetup, signIn } from "../client";
import { RequestError } from "../components/elements";
import { CodeField, PasswordField, useFieldRules } from "../components/fields";
import { useSession } from "../session";
import { adminTexts } from "../texts";
import { AccountDialog } from "./AccountDialogs";
import styles from "./SignIn.module.css";
import { accountTexts } from "./texts";

export function SetupScreen() {
  const t = useText(accountTexts);
  const rules = useFieldRules();
  const { refresh } = useSession();
  const form = useForm({
    initialValues: { token: "", email: "", password: "", again: "" },
    validate: {
      token: rules.required,
      email: rules.email,
      password: rules.newPassword,
      again: (value, values) => rules.repeated(value, values.password),
    },
  });
  const action = useAction(async () => {
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
    <Card title={t.setupTitle} intro={t.setupIntro}>
      <CardForm form={form} action={action} submitLabel={t.createOwner}>
        <TextInput
          label={t.setupToken}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps("token")}
        />
        <div className={styles.note}>
          {t.setupTokenNote}
          <Commands make="ARGS=setup-token" docker="setup-token" />
        </div>
        <TextInput label={t.email} type="email" autoComplete="username" {...form.getInputProps("email")} />
        <PasswordField
          label={t.password}
          description={rules.passwordNote}
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <PasswordField label={t.passwordAgain} autoComplete="new-password" {...form.getInputProps("again")} />
      </CardForm>
    </Card>
  );
}

export function SignInScreen({ error }: { error: unknown }) {
  const t = useText(accountTexts);
  return (
    <Card title={t.signInTitle} intro={t.signInIntro}>
      {error !== undefined && <RequestError error={error} />}
      <SignInForm />
      <details className={styles.forgotten}>
        <summary>{t.forgotten}</summary>
        {t.forgottenDetail}
        <Commands make={'ARGS="reset-password EMAIL"'} docker="reset-password EMAIL" />
      </details>
    </Card>
  );
}

/** The page of an admin without a second factor if the access policy requires one. */
export function EnrolmentScreen({ admin }: { admin: Admin }) {
  const t = useText(accountTexts);
  const a = useText(adminTexts);
  const { signOut } = useSession();
  const [isEnrolling, setEnrolling] = useState(false);
  const [error, setError] = useState<unknown>(null);
  return (
    <Card
      title={t.requiredTitle}
      intro={
        <>
          {t.requiredIntro} <bdi>{admin.email}</bdi>
        </>
      }
    >
      {error !== null && <RequestError error={error} />}
      <Button onClick={() => setEnrolling(true)}>{t.enrol}</Button>
      <Button variant="subtle" onClick={() => signOut().catch(setError)}>
        {a.signOut}
      </Button>
      {isEnrolling && <AccountDialog task="enrol" onClose={() => setEnrolling(false)} />}
    </Card>
  );
}

/** A dialog over the page, which keeps its input. */
export function SessionExpiredDialog() {
  const t = useText(accountTexts);
  const { isExpired, state, signOut } = useSession();
  return (
    <Modal
      opened={isExpired}
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      zIndex={400}
      title={t.expiredTitle}
    >
      <p className={styles.expired}>{t.expiredDetail}</p>
      <SignInForm email={state.kind === "signed_in" ? state.admin.email : ""} />
      <Button variant="subtle" fullWidth mt="xs" onClick={() => void signOut()}>
        {t.signOut}
      </Button>
    </Modal>
  );
}

function SignInForm({ email = "" }: { email?: string }) {
  const t = useText(accountTexts);
  const rules = useFieldRules();
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
      email: rules.required,
      password: rules.password,
      code: (value) => (needsCode ? rules.required(value) : null),
    },
  });
  const setup = useQuery({ queryKey: ["setup"], queryFn: readSetup });
  const [begin, isBeginning, beginError] = useAction(beginSingleSignOn);
  const [send, isSending, error] = useAction(async () => {
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
      {(error ?? beginError) !== null && <RequestError error={error ?? beginError} />}
      {isCookieLost && <p role="alert">{t.cookieLost}</p>}
      <TextInput
        label={t.email}
        type="email"
        autoComplete="username"
        data-autofocus={!email || undefined}
        {...form.getInputProps("email")}
      />
      <PasswordField
        label={t.password}
        autoComplete="current-password"
        data-autofocus={Boolean(email) || undefined}
        {...form.getInputProps("password")}
      />
      {needsCode && <CodeField ref={codeField} description={t.codeNote} {...form.getInputProps("code")} />}
      <Button type="submit" loading={isSending} fullWidth>
        {t.signIn}
      </Button>
      {setup.data?.single_sign_on && (
        <Button variant="default" loading={isBeginning} onClick={() => void begin()} fullWidth>
          {t.singleSignOn}
        </Button>
      )}
    </form>
  );
}

/** The command for `make run` and for Docker. */
function Commands({ make, docker }: { make: string; docker: string }) {
  return (
    <>
      <code className={styles.command}>make keys {make}</code>
      <code className={styles.command}>docker compose exec keys keys {docker}</code>
    </>
  );
}

export function Card({ title, intro, children }: { title: string; intro: ReactNode; children: ReactNode }) {
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

/** A form in a card: its fields, its error, and a button. */
export function CardForm({
  form,
  action: [send, isSending, error],
  submitLabel,
  conflict,
  children,
}: {
  form: { onSubmit: (send: () => Promise<void>) => (event?: FormEvent<HTMLFormElement>) => void };
  action: ReturnType<typeof useAction>;
  submitLabel: string;
  conflict?: string;
  children: ReactNode;
}) {
  return (
    <form className={styles.form} noValidate onSubmit={form.onSubmit(send)}>
      {error !== null && <RequestError error={error} conflict={conflict} />}
      {children}
      <Button type="submit" loading={isSending} fullWidth>
        {submitLabel}
      </Button>
    </form>
  );
}

/** An action with its pending state and its error. */
export function useAction(action: () => Promise<void>): [() => Promise<void>, boolean, unknown] {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async () => {
    setPending(true);
    setError(null);
    try {
      await action();
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return [run, isPending, error];
}
