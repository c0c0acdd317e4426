// Bearer tokens for automation. A new token is shown once.
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { AdminToken, IssuedToken, ListPage, Role } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Badge, Empty } from "../../shell/states";
import { call } from "../client";
import type { Column } from "../components/DataTable";
import { Name, Panel, Small } from "../components/elements";
import { ConfirmDialog, FormDialog, OnceDialog } from "../components/FormDialog";
import { RoleSelect } from "../components/fields";
import { LoadedTable, useRead } from "../components/loaded";
import { adminTexts } from "../texts";
import styles from "./TeamSection.module.css";
import { teamTexts } from "./texts";

export function Tokens() {
  const t = useText(teamTexts);
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<AdminToken | null>(null);
  const [shown, setShown] = useState<{ label: string; token: string } | null>(null);
  const tokens = useRead<ListPage<AdminToken>>("/tokens");
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
      <LoadedTable
        of={tokens}
        empty={<Empty title={t.noTokens}>{t.noTokensDetail}</Empty>}
        caption={t.tokens}
        columns={columns}
        rowId={(token) => token.id}
      />
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
      {shown && <TokenDialog token={shown.token} onClose={() => setShown(null)} />}
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
    { id: "role", header: a.role, cell: (token) => a.roles[token.role] },
    {
      id: "status",
      header: a.status,
      cell: (token) => {
        const isOver = token.expires_at !== null && Date.parse(token.expires_at) <= Date.now();
        if (token.revoked_at) return <Badge tone="error">{t.revoked}</Badge>;
        return isOver ? <Badge tone="warning">{t.expired}</Badge> : <Badge tone="success">{t.active}</Badge>;
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
  const form = useForm({
    initialValues: { label: "", role: "viewer" as Role, expires_at: "" },
    validate: { label: (value) => (value.trim() ? null : a.required) },
  });
  const create = async () => {
    const { label, role, expires_at: at } = form.getValues();
    const body = { label, role, expires_at: at ? new Date(at).toISOString() : null };
    const made = await call<IssuedToken>("/tokens", { method: "POST", body });
    onCreated(made);
    return "stay";
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
  return (
    <ConfirmDialog
      title={t.revokeToken}
      submitLabel={t.revoke}
      send={[`/tokens/${encodeURIComponent(token.id)}`, "DELETE"]}
      onClose={onClose}
    >
      <Name text={token.label} />
      <p className={styles.text}>{t.revokeDetail}</p>
    </ConfirmDialog>
  );
}

/** A new token, shown once. */
function TokenDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const t = useText(teamTexts);
  return (
    <OnceDialog title={t.tokenShown} warning={t.tokenOnce} secret={token} onClose={onClose}>
      <pre>{`curl ${location.origin}/api/v1/admin/api-keys \\
  -H 'authorization: Bearer ${token}'`}</pre>
    </OnceDialog>
  );
}
