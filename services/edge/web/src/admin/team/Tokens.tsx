// Bearer tokens for automation. A new token is shown once.
import { Button, Modal, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminToken, IssuedToken, ListPage, Role } from "../../api/types";
import { CopyButton } from "../../shell/CopyButton";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Badge, Empty, Notice } from "../../shell/states";
import { shellTexts } from "../../shell/texts";
import { call } from "../client";
import { type Column, DataTable } from "../components/DataTable";
import { Name, Panel, RequestError, Small } from "../components/elements";
import { FormDialog, useFocusReturn } from "../components/FormDialog";
import { RoleSelect } from "../components/fields";
import { adminTexts } from "../texts";
import styles from "./TeamSection.module.css";
import { teamTexts } from "./texts";

export function Tokens() {
  const t = useText(teamTexts);
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<AdminToken | null>(null);
  const [shown, setShown] = useState<{ label: string; token: string } | null>(null);
  const tokens = useQuery({
    queryKey: ["tokens"],
    queryFn: ({ signal }) => call<ListPage<AdminToken>>("/tokens", { signal }),
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
      {tokens.isError && <RequestError error={tokens.error} onRetry={() => void tokens.refetch()} />}
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

/** A new token, shown once. */
function TokenDialog({ shown, onClose }: { shown: { label: string; token: string }; onClose: () => void }) {
  const t = useText(teamTexts);
  const s = useText(shellTexts);
  useFocusReturn();
  const [isCopied, setCopied] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.tokenShown}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={isCopied}
      closeButtonProps={{ "aria-label": s.close }}
    >
      <div className={styles.shown}>
        <Notice tone="warning">{t.tokenOnce}</Notice>
        <code>{shown.token}</code>
        <CopyButton text={shown.token} variant="filled" size="sm" onCopied={() => setCopied(true)} />
        <pre>{`curl ${location.origin}/api/v1/admin/api-keys \\\n  -H 'authorization: Bearer ${shown.token}'`}</pre>
      </div>
    </Modal>
  );
}
