// Admins with their roles, and bearer tokens for automation. For owners.
import { Button, PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Admin, type AdminToken, type IssuedToken, type Listed, ROLES, type Role } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Empty, Loading, Notice } from "../../shell/states";
import { call } from "../client";
import { Badge } from "../parts/Badge";
import { type Column, DataTable } from "../parts/DataTable";
import { Failure } from "../parts/Failure";
import { FormDialog } from "../parts/FormDialog";
import { Name, Small } from "../parts/Name";
import { Panel, Section } from "../parts/Section";
import { useMay, useSession } from "../session";
import { adminTexts } from "../texts";
import { SignInRule } from "./SignInRule";
import styles from "./TeamSection.module.css";
import { TokenDialog } from "./TokenDialog";
import { teamTexts } from "./texts";

const MIN_PASSWORD = 12;

export function TeamSection() {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const isOwner = useMay("owner");
  return (
    <Section title={t.title} intro={t.intro}>
      {isOwner ? (
        <>
          <Admins />
          <SignInRule />
          <Tokens />
        </>
      ) : (
        <Empty icon="account" title={a.ownerOnly} />
      )}
    </Section>
  );
}

function Admins() {
  const t = useText(teamTexts);
  const [edited, setEdited] = useState<Admin | "new" | null>(null);
  const admins = useQuery({
    queryKey: ["admins"],
    queryFn: ({ signal }) => call<Listed<Admin>>("/admins", { signal }),
  });
  const columns = useAdminColumns(setEdited);
  const close = () => setEdited(null);
  return (
    <Panel
      title={t.admins}
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setEdited("new")}>
          {t.newAdmin}
        </Button>
      }
    >
      {admins.isError && <Failure error={admins.error} onRetry={() => void admins.refetch()} />}
      {admins.isPending && <Loading />}
      {admins.data && (
        <DataTable caption={t.admins} columns={columns} rows={admins.data.items} rowId={(admin) => admin.id} />
      )}
      {edited === "new" && <NewAdminForm onClose={close} />}
      {edited !== null && edited !== "new" && <EditAdminForm admin={edited} onClose={close} />}
    </Panel>
  );
}

function useAdminColumns(edit: (admin: Admin) => void): Column<Admin>[] {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const { state } = useSession();
  const self = state.kind === "signed_in" ? state.admin.id : null;
  return [
    {
      id: "name",
      header: t.email,
      cell: (admin) => (
        <span>
          <bdi>{admin.email}</bdi> {admin.id === self && <Badge tone="info">{t.you}</Badge>}
        </span>
      ),
      isTitle: true,
    },
    { id: "role", header: t.role, cell: (admin) => a.roles[admin.role] },
    {
      id: "status",
      header: a.status,
      cell: (admin) => <Badge tone={admin.is_active ? "good" : "bad"}>{admin.is_active ? t.active : t.inactive}</Badge>,
    },
    {
      id: "totp",
      header: t.secondFactor,
      cell: (admin) => (admin.has_totp ? <Badge tone="good">{t.enrolled}</Badge> : <Small>{a.none}</Small>),
    },
    {
      id: "date",
      header: t.lastSignIn,
      cell: (admin) => (admin.last_sign_in_at ? f.instant(admin.last_sign_in_at) : <Small>{a.never}</Small>),
    },
    {
      id: "actions",
      header: a.actions,
      cell: (admin) => (
        <Button variant="subtle" size="compact-sm" aria-label={t.editAdmin(admin.email)} onClick={() => edit(admin)}>
          {a.edit}
        </Button>
      ),
    },
  ];
}

function NewAdminForm({ onClose }: { onClose: () => void }) {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { email: "", password: "", role: "operator" as Role },
    validate: {
      email: (value) => (/^[^@\s]+@[^@\s]+$/.test(value.trim()) ? null : t.emailWrong),
      password: (value) => (value.length >= MIN_PASSWORD ? null : t.passwordNote),
    },
  });
  const create = async () => {
    await call("/admins", { method: "POST", body: form.getValues() });
    void queries.invalidateQueries();
    onClose();
  };
  return (
    <FormDialog
      conflict={t.emailTaken}
      title={t.newAdmin}
      submitLabel={a.create}
      form={form}
      onSubmit={create}
      onClose={onClose}
    >
      <TextInput label={t.email} type="email" autoComplete="off" data-autofocus {...form.getInputProps("email")} />
      <PasswordInput
        label={t.password}
        description={t.passwordPassOn}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": t.showPassword, tabIndex: 0 }}
        {...form.getInputProps("password")}
      />
      <RoleSelect {...form.getInputProps("role")} />
    </FormDialog>
  );
}

function EditAdminForm({ admin, onClose }: { admin: Admin; onClose: () => void }) {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const queries = useQueryClient();
  const form = useForm({ initialValues: { role: admin.role, is_active: admin.is_active } });
  const save = async () => {
    await call(`/admins/${encodeURIComponent(admin.id)}`, { method: "PATCH", body: form.getValues() });
    void queries.invalidateQueries();
    onClose();
  };
  return (
    <FormDialog
      conflict={t.lastOwner}
      title={t.editAdmin(admin.email)}
      submitLabel={a.save}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <Notice>{t.endsSessions}</Notice>
      <RoleSelect {...form.getInputProps("role")} />
      <Switch label={t.mayEnter} description={t.lastOwner} {...form.getInputProps("is_active", { type: "checkbox" })} />
    </FormDialog>
  );
}

function Tokens() {
  const t = useText(teamTexts);
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<AdminToken | null>(null);
  const [shown, setShown] = useState<{ label: string; token: string } | null>(null);
  const tokens = useQuery({
    queryKey: ["tokens"],
    queryFn: ({ signal }) => call<Listed<AdminToken>>("/tokens", { signal }),
  });
  const columns = useTokenColumns(setRevoked);
  return (
    <Panel
      title={t.tokens}
      actions={
        <Button variant="default" leftSection={<Icon name="plus" />} onClick={() => setNew(true)}>
          {t.newToken}
        </Button>
      }
    >
      {tokens.isError && <Failure error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.data && tokens.data.items.length === 0 && <Empty title={t.noTokens}>{t.noTokensDetail}</Empty>}
      {tokens.data && tokens.data.items.length > 0 && (
        <DataTable caption={t.tokens} columns={columns} rows={tokens.data.items} rowId={(token) => token.id} />
      )}
      {isNew && (
        <NewTokenForm
          onClose={() => setNew(false)}
          onCreated={(token) => {
            setNew(false);
            setShown(token);
          }}
        />
      )}
      {revoked && <RevokeTokenForm token={revoked} onClose={() => setRevoked(null)} />}
      {shown && <TokenDialog shown={shown} onClose={() => setShown(null)} />}
    </Panel>
  );
}

function useTokenColumns(revoke: (token: AdminToken) => void): Column<AdminToken>[] {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const instant = (at: string | null) => (at ? f.instant(at) : <Small>{a.never}</Small>);
  return [
    { id: "label", header: a.label, cell: (token) => <Name text={token.label} />, isTitle: true },
    { id: "role", header: t.role, cell: (token) => a.roles[token.role] },
    {
      id: "status",
      header: a.status,
      cell: (token) => {
        const isOver = token.expires_at !== null && Date.parse(token.expires_at) <= Date.now();
        if (token.revoked_at) return <Badge tone="bad">{t.revoked}</Badge>;
        return isOver ? <Badge tone="late">{t.expired}</Badge> : <Badge tone="good">{t.active}</Badge>;
      },
    },
    { id: "date", header: t.expiresAt, cell: (token) => instant(token.expires_at) },
    { id: "used", header: t.lastUse, cell: (token) => instant(token.last_used_at) },
    {
      id: "actions",
      header: a.actions,
      cell: (token) =>
        token.revoked_at === null && (
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            className={styles.revoke}
            aria-label={t.revokeOne(token.label)}
            onClick={() => revoke(token)}
          >
            {t.revoke}
          </Button>
        ),
    },
  ];
}

function NewTokenForm({
  onCreated,
  onClose,
}: {
  onCreated: (token: { label: string; token: string }) => void;
  onClose: () => void;
}) {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { label: "", role: "viewer" as Role, expires_at: "" },
    validate: { label: (value) => (value.trim() ? null : a.required) },
  });
  const create = async () => {
    const { label, role, expires_at: at } = form.getValues();
    const body = { label, role, expires_at: at ? new Date(at).toISOString() : null };
    const made = await call<IssuedToken>("/tokens", { method: "POST", body });
    void queries.invalidateQueries();
    onCreated(made);
  };
  return (
    <FormDialog title={t.newToken} submitLabel={a.create} form={form} onSubmit={create} onClose={onClose}>
      <TextInput label={a.label} maxLength={200} dir="auto" data-autofocus {...form.getInputProps("label")} />
      <RoleSelect {...form.getInputProps("role")} />
      <TextInput
        type="datetime-local"
        label={t.expiresAt}
        description={t.expiresNote}
        {...form.getInputProps("expires_at")}
      />
    </FormDialog>
  );
}

function RevokeTokenForm({ token, onClose }: { token: AdminToken; onClose: () => void }) {
  const t = useText(teamTexts);
  const queries = useQueryClient();
  const form = useForm({ initialValues: {} });
  const revoke = async () => {
    await call(`/tokens/${encodeURIComponent(token.id)}`, { method: "DELETE" });
    void queries.invalidateQueries();
    onClose();
  };
  return (
    <FormDialog
      title={t.revokeToken}
      submitLabel={t.revoke}
      form={form}
      onSubmit={revoke}
      onClose={onClose}
      isDangerous
    >
      <Name text={token.label} />
      <p className={styles.text}>{t.revokeDetail}</p>
    </FormDialog>
  );
}

function RoleSelect(props: Partial<React.ComponentProps<typeof Select>>) {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  return (
    <Select
      label={t.role}
      allowDeselect={false}
      description={a.roleNotes[props.value as Role]}
      data={ROLES.map((role) => ({ value: role, label: a.roles[role] }))}
      {...props}
    />
  );
}
