// The page of an invitation's link: choose a password, enrol a second factor if it is required, and come in.
import { Anchor, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/client";
import type { InvitedAdmin, TotpEnrolment } from "../../api/types";
import { useText } from "../../shell/language";
import { Page } from "../../shell/Page";
import { Loading, Notice } from "../../shell/states";
import { acceptInvitation, readInvitation } from "../client";
import { RequestError } from "../components/elements";
import { CodeField, PasswordField, useFieldRules } from "../components/fields";
import { address, leaveInvitation } from "../route";
import { useSession } from "../session";
import { adminTexts } from "../texts";
import { post, TotpSecret } from "./AccountDialogs";
import { Card, CardForm, useAction } from "./SignIn";
import { accountTexts } from "./texts";

export function InvitationScreen({ token }: { token: string }) {
  const t = useText(accountTexts);
  const [enrolment, setEnrolment] = useState<TotpEnrolment | null>(null);
  const { refresh } = useSession();
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: ({ signal }) => readInvitation(token, signal),
    retry: false, // each wrong token counts as a failure
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const enter = async () => {
    leaveInvitation();
    await refresh();
  };
  if (enrolment !== null) {
    return (
      <Card title={t.enrol} intro={t.invitationTotp}>
        <ConfirmForm enrolment={enrolment} onDone={enter} />
      </Card>
    );
  }
  if (invitation.isPending) {
    return (
      <Page current="admin">
        <Loading />
      </Page>
    );
  }
  if (invitation.isError) {
    const isInvalid = invitation.error instanceof ApiError && invitation.error.code === "invalid_invitation";
    return (
      <Card title={t.invitationInvalidTitle} intro={isInvalid ? invitation.error.message : null}>
        {!isInvalid && <RequestError error={invitation.error} onRetry={() => void invitation.refetch()} />}
        <Anchor href={address("keys")}>{t.toSignIn}</Anchor>
      </Card>
    );
  }
  return (
    <Card title={t.invitationTitle} intro={t.invitationIntro}>
      <AcceptForm token={token} invited={invitation.data} onEnrol={setEnrolment} onDone={enter} />
    </Card>
  );
}

function AcceptForm({
  token,
  invited,
  onEnrol,
  onDone,
}: {
  token: string;
  invited: InvitedAdmin;
  onEnrol: (enrolment: TotpEnrolment) => void;
  onDone: () => Promise<void>;
}) {
  const t = useText(accountTexts);
  const a = useText(adminTexts);
  const rules = useFieldRules();
  const { state, signOut } = useSession();
  const form = useForm({
    initialValues: { password: "", again: "" },
    validate: { password: rules.newPassword, again: (value, values) => rules.repeated(value, values.password) },
  });
  const action = useAction(async () => {
    const { password } = form.getValues();
    if (state.kind === "signed_in") await signOut();
    await acceptInvitation(token, password);
    try {
      if (invited.totp_required) return onEnrol(await post<TotpEnrolment>("/session/totp", { password }));
    } catch {
      // The account exists: the page of the required second factor asks again.
    }
    await onDone();
  });
  return (
    <CardForm form={form} action={action} submitLabel={t.accept} conflict={t.emailTaken}>
      {state.kind === "signed_in" && <Notice tone="warning">{t.leavesSession(state.admin.email)}</Notice>}
      <TextInput label={t.email} type="email" autoComplete="username" value={invited.email} readOnly />
      <TextInput
        label={t.invitedAs}
        description={a.roleNotes[invited.role]}
        value={a.roles[invited.role]}
        readOnly
        autoComplete="off"
      />
      <PasswordField
        label={t.password}
        description={rules.passwordNote}
        autoComplete="new-password"
        data-autofocus
        {...form.getInputProps("password")}
      />
      <PasswordField label={t.passwordAgain} autoComplete="new-password" {...form.getInputProps("again")} />
    </CardForm>
  );
}

function ConfirmForm({ enrolment, onDone }: { enrolment: TotpEnrolment; onDone: () => Promise<void> }) {
  const t = useText(accountTexts);
  const rules = useFieldRules();
  const form = useForm({ initialValues: { code: "" }, validate: { code: rules.required } });
  const action = useAction(async () => {
    await post("/session/totp/confirm", { code: form.getValues().code });
    await onDone();
  });
  return (
    <CardForm form={form} action={action} submitLabel={t.confirm} conflict={t.conflict}>
      <TotpSecret enrolment={enrolment} />
      <CodeField {...form.getInputProps("code")} />
    </CardForm>
  );
}
