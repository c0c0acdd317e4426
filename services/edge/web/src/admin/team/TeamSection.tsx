// Admins with their roles, invitations, the access policy, and bearer tokens for automation. For owners.
import { Button, Switch } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AccessPolicy, Admin, ListPage } from "../../api/types";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, Empty, Notice } from "../../shell/states";
import { call } from "../client";
import type { Column } from "../components/DataTable";
import { Panel, RequestError, Section, Small } from "../components/elements";
import { FormDialog } from "../components/FormDialog";
import { RoleSelect } from "../components/fields";
import { LoadedTable, useRead } from "../components/loaded";
import { useHasRole, useSession } from "../session";
import { adminTexts } from "../texts";
import { Invitations } from "./Invitations";
import { Tokens } from "./Tokens";
import { teamTexts } from "./texts";

export function TeamSection() {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const isOwner = useHasRole("owner");
  return (
    <Section title={t.title} intro={t.intro}>
      {isOwner ? (
        <>
          <Admins />
          <Invitations />
          <AccessPolicyPanel />
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
  const [edited, setEdited] = useState<Admin | null>(null);
  const admins = useRead<ListPage<Admin>>("/admins");
  const columns = useAdminColumns(setEdited);
  return (
    <Panel title={t.admins}>
      <LoadedTable of={admins} empty={null} caption={t.admins} columns={columns} rowId={(admin) => admin.id} />
      {edited !== null && <EditAdminForm admin={edited} onClose={() => setEdited(null)} />}
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
          {admin.single_sign_on && <Badge tone="neutral">{t.singleSignOn}</Badge>}
        </span>
      ),
      isTitle: true,
    },
    { id: "role", header: a.role, cell: (admin) => a.roles[admin.role] },
    {
      id: "status",
      header: a.status,
      cell: (admin) => (
        <Badge tone={admin.is_active ? "success" : "error"}>{admin.is_active ? t.active : t.inactive}</Badge>
      ),
    },
    {
      id: "totp",
      header: t.secondFactor,
      cell: (admin) => (admin.has_totp ? <Badge tone="success">{t.enrolled}</Badge> : <Small>{a.none}</Small>),
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

function EditAdminForm({ admin, onClose }: { admin: Admin; onClose: () => void }) {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const form = useForm({ initialValues: { role: admin.role, is_active: admin.is_active } });
  const save = () => call(`/admins/${encodeURIComponent(admin.id)}`, { method: "PATCH", body: form.getValues() });
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

/** The access policy for all accounts. */
function AccessPolicyPanel() {
  const t = useText(teamTexts);
  const queries = useQueryClient();
  const policy = useRead<AccessPolicy>("/access-policy");
  const change = useMutation({
    mutationFn: (isRequired: boolean) =>
      call<AccessPolicy>("/access-policy", { method: "PATCH", body: { totp_required: isRequired } }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Panel title={t.signInRule}>
      {policy.isError && <RequestError error={policy.error} onRetry={() => void policy.refetch()} />}
      {change.isError && <RequestError error={change.error} conflict={t.enrolFirst} />}
      {policy.data && (
        <Switch
          label={t.requireTotp}
          description={t.requireTotpNote}
          checked={policy.data.totp_required}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      )}
    </Panel>
  );
}
