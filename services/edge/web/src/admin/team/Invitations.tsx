// Open invitations of admins. The link of a new one is shown once.
import { Button, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { Invitation, ListPage, NewInvitation, Role } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Empty, Notice } from "../../shell/states";
import { call } from "../client";
import type { Column } from "../components/DataTable";
import { Name, Panel } from "../components/elements";
import { ConfirmDialog, FormDialog, OnceDialog } from "../components/FormDialog";
import { RoleSelect, useFieldRules } from "../components/fields";
import { LoadedTable, useRead } from "../components/loaded";
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
  const invitations = useRead<ListPage<Invitation>>("/invitations");
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
      <LoadedTable
        of={invitations}
        empty={<Empty title={t.noInvitations}>{t.noInvitationsDetail}</Empty>}
        caption={t.invitations}
        columns={columns}
        rowId={(invitation) => invitation.id}
      />
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
    onMade(made);
    return "stay";
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
  return (
    <ConfirmDialog
      title={t.revokeInvitation}
      submitLabel={t.revoke}
      send={[`/invitations/${encodeURIComponent(invitation.id)}`, "DELETE"]}
      onClose={onClose}
    >
      <Name text={invitation.email} />
      <p className={styles.text}>{t.revokeInvitationDetail}</p>
    </ConfirmDialog>
  );
}

function LinkDialog({ made, onClose }: { made: NewInvitation; onClose: () => void }) {
  const t = useText(teamTexts);
  const f = useFormats();
  return (
    <OnceDialog
      title={t.linkShown}
      warning={t.linkOnce}
      secret={invitationLink(made.token)}
      copyLabel={t.copyLink}
      testId="invitation-link"
      onClose={onClose}
    >
      <p className={styles.text}>{t.linkFor(made.email, f.instant(made.expires_at))}</p>
    </OnceDialog>
  );
}
