// Open invitations of admins. The link of a new one is shown once.
import { Button, Modal, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Invitation, ListPage, NewInvitation, Role } from "../../api/types";
import { CopyButton } from "../../shell/CopyButton";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Empty, Notice } from "../../shell/states";
import { shellTexts } from "../../shell/texts";
import { call } from "../client";
import { type Column, DataTable } from "../components/DataTable";
import { Name, Panel, RequestError } from "../components/elements";
import { FormDialog, useFocusReturn } from "../components/FormDialog";
import { RoleSelect, useFieldRules } from "../components/fields";
import { invitationLink } from "../route";
import { adminTexts } from "../texts";
import styles from "./TeamSection.module.css";
import { teamTexts } from "./texts";

const LIFETIMES = ["24", "72", "168"] as const;

type Task =
  | { kind: "invite"; again: Invitation | null }
  | { kind: "revoke"; invitation: Invitation }
  | { kind: "show"; made: NewInvitation };

export function Invitations() {
  const t = useText(teamTexts);
  const [task, setTask] = useState<Task | null>(null);
  const invitations = useQuery({
    queryKey: ["invitations"],
    queryFn: ({ signal }) => call<ListPage<Invitation>>("/invitations", { signal }),
  });
  const columns = useColumns(setTask);
  const close = () => setTask(null);
  return (
    <Panel
      title={t.invitations}
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setTask({ kind: "invite", again: null })}>
          {t.invite}
        </Button>
      }
    >
      {invitations.isError && <RequestError error={invitations.error} onRetry={() => void invitations.refetch()} />}
      {invitations.data?.items.length === 0 && <Empty title={t.noInvitations}>{t.noInvitationsDetail}</Empty>}
      {invitations.data && invitations.data.items.length > 0 && (
        <DataTable
          caption={t.invitations}
          columns={columns}
          rows={invitations.data.items}
          rowId={(invitation) => invitation.id}
        />
      )}
      {task?.kind === "invite" && (
        <InviteForm again={task.again} onClose={close} onMade={(made) => setTask({ kind: "show", made })} />
      )}
      {task?.kind === "revoke" && <RevokeForm invitation={task.invitation} onClose={close} />}
      {task?.kind === "show" && <LinkDialog made={task.made} onClose={close} />}
    </Panel>
  );
}

function useColumns(start: (task: Task) => void): Column<Invitation>[] {
  const t = useText(teamTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  return [
    { id: "name", header: t.email, cell: (each) => <bdi>{each.email}</bdi>, isTitle: true },
    { id: "role", header: a.role, cell: (each) => a.roles[each.role] },
    { id: "from", header: t.invitedBy, cell: (each) => <Name text={each.created_by.replace(/^admin /, "")} /> },
    { id: "date", header: t.expiresAt, cell: (each) => f.instant(each.expires_at) },
    {
      id: "actions",
      header: a.actions,
      cell: (each) => (
        <span>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t.newLinkFor(each.email)}
            onClick={() => start({ kind: "invite", again: each })}
          >
            {t.newLink}
          </Button>
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            className={styles.revoke}
            aria-label={t.revokeInvitationOf(each.email)}
            onClick={() => start({ kind: "revoke", invitation: each })}
          >
            {t.revoke}
          </Button>
        </span>
      ),
    },
  ];
}

function InviteForm({
  again,
  onMade,
  onClose,
}: {
  /** The invitation to replace. */
  again: Invitation | null;
  onMade: (made: NewInvitation) => void;
  onClose: () => void;
}) {
  const t = useText(teamTexts);
  const rules = useFieldRules();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: {
      email: again?.email ?? "",
      role: again?.role ?? ("operator" as Role),
      lifetime_hours: "72",
    },
    validate: { email: rules.email },
  });
  const invite = async () => {
    const { email, role, lifetime_hours: hours } = form.getValues();
    const body = { email: email.trim(), role, lifetime_hours: Number(hours) };
    const made = await call<NewInvitation>("/invitations", { method: "POST", body });
    void queries.invalidateQueries();
    onMade(made);
  };
  return (
    <FormDialog
      title={again === null ? t.invite : t.newLinkFor(again.email)}
      submitLabel={t.inviteYes}
      form={form}
      onSubmit={invite}
      onClose={onClose}
    >
      {again !== null && <Notice>{t.replaces}</Notice>}
      <TextInput
        label={t.email}
        type="email"
        autoComplete="off"
        data-autofocus={again === null || undefined}
        readOnly={again !== null}
        {...form.getInputProps("email")}
      />
      <RoleSelect {...form.getInputProps("role")} />
      <Select
        label={t.lifetime}
        allowDeselect={false}
        data={LIFETIMES.map((hours) => ({ value: hours, label: t.lifetimes[hours] }))}
        {...form.getInputProps("lifetime_hours")}
      />
    </FormDialog>
  );
}

function RevokeForm({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const t = useText(teamTexts);
  const queries = useQueryClient();
  const form = useForm({ initialValues: {} });
  const revoke = async () => {
    await call(`/invitations/${encodeURIComponent(invitation.id)}`, { method: "DELETE" });
    void queries.invalidateQueries();
    onClose();
  };
  return (
    <FormDialog
      title={t.revokeInvitation}
      submitLabel={t.revoke}
      form={form}
      onSubmit={revoke}
      onClose={onClose}
      isDangerous
    >
      <Name text={invitation.email} />
      <p className={styles.text}>{t.revokeInvitationDetail}</p>
    </FormDialog>
  );
}

function LinkDialog({ made, onClose }: { made: NewInvitation; onClose: () => void }) {
  const t = useText(teamTexts);
  const s = useText(shellTexts);
  const f = useFormats();
  useFocusReturn();
  const [isCopied, setCopied] = useState(false);
  const link = invitationLink(made.token);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.linkShown}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={isCopied}
      closeButtonProps={{ "aria-label": s.close }}
    >
      <div className={styles.shown}>
        <Notice tone="warning">{t.linkOnce}</Notice>
        <p className={styles.text}>{t.linkFor(made.email, f.instant(made.expires_at))}</p>
        <code data-testid="invitation-link">{link}</code>
        <CopyButton text={link} label={t.copyLink} variant="filled" size="sm" onCopied={() => setCopied(true)} />
      </div>
    </Modal>
  );
}
