// Who changed what, newest first.
import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { dictionary, useText } from "../../shell/language";
import { Empty, Loading } from "../../shell/states";
import { call, query } from "../client";
import { type Column, DataTable } from "../parts/DataTable";
import { Failure } from "../parts/Failure";
import { Name } from "../parts/Name";
import { Pager, useCursor } from "../parts/Pager";
import { GROWS, Section, Toolbar } from "../parts/Section";
import { useRoute } from "../route";
import type { AuditEntry, Listed } from "../types";
import styles from "./AuditSection.module.css";

const texts = dictionary(
  {
    title: "Journal",
    intro: "Chaque changement, par qui et depuis où. On n’y efface rien ; les adresses y restent 30 jours.",
    subject: "Objet",
    subjectNote: "Identifiant d’une clé, d’un partenaire…",
    at: "Quand",
    actor: "Par",
    action: "Action",
    changes: "Détail",
    from: "Depuis",
    empty: "Aucune entrée",
    emptyDetail: "Rien n’a encore été changé, ou pas cet objet.",
    actions: {
      "key.create": "Clé créée",
      "key.update": "Clé modifiée",
      "key.revoke": "Clé révoquée",
      "key.rotate": "Secret renouvelé",
      "partner.create": "Partenaire créé",
      "partner.update": "Partenaire modifié",
      "plan.create": "Tarif créé",
      "plan.update": "Tarif modifié",
      "admin.create": "Compte créé",
      "admin.update": "Compte modifié",
      "admin.reset_password": "Mot de passe remplacé",
      "token.create": "Jeton créé",
      "token.revoke": "Jeton révoqué",
      "session.start": "Connexion",
      "setup.token": "Jeton d’installation créé",
    } as Record<string, string>,
  },
  {
    title: "Audit log",
    intro: "Every change, by whom and from where. Nothing is ever removed; addresses stay for 30 days.",
    subject: "Subject",
    subjectNote: "The id of a key, a partner…",
    at: "When",
    actor: "By",
    action: "Action",
    changes: "Details",
    from: "From",
    empty: "No entries",
    emptyDetail: "Nothing was changed yet, or not this subject.",
    actions: {
      "key.create": "Key created",
      "key.update": "Key changed",
      "key.revoke": "Key revoked",
      "key.rotate": "Secret rotated",
      "partner.create": "Partner created",
      "partner.update": "Partner changed",
      "plan.create": "Plan created",
      "plan.update": "Plan changed",
      "admin.create": "Account created",
      "admin.update": "Account changed",
      "admin.reset_password": "Password replaced",
      "token.create": "Token created",
      "token.revoke": "Token revoked",
      "session.start": "Sign-in",
      "setup.token": "Setup token made",
    } as Record<string, string>,
  },
);

export function AuditSection() {
  const t = useText(texts);
  const { chosen, choose } = useRoute();
  const cursor = useCursor();
  const subject = chosen.get("subject");
  const search = useDebouncedCallback((text: string) => {
    cursor.first();
    choose({ subject: text.trim() });
  }, 300);
  const wanted = query({ subject, limit: 50, cursor: cursor.current });
  const entries = useQuery({
    queryKey: ["audit", wanted],
    queryFn: ({ signal }) => call<Listed<AuditEntry>>(`/audit${wanted}`, { signal }),
    placeholderData: (before) => before,
  });
  const columns = useColumns();
  return (
    <Section title={t.title} intro={t.intro}>
      <Toolbar>
        <TextInput
          className={GROWS}
          type="search"
          label={t.subject}
          placeholder={t.subjectNote}
          leftSection={<Icon name="search" />}
          defaultValue={subject ?? ""}
          onChange={(event) => search(event.currentTarget.value)}
        />
      </Toolbar>
      {entries.isError && <Failure error={entries.error} onRetry={() => void entries.refetch()} />}
      {entries.isPending && <Loading />}
      {entries.data && entries.data.items.length === 0 && <Empty title={t.empty}>{t.emptyDetail}</Empty>}
      {entries.data && entries.data.items.length > 0 && (
        <div>
          <DataTable
            caption={t.title}
            columns={columns}
            rows={entries.data.items}
            rowId={(entry) => entry.id}
            isPending={entries.isPlaceholderData}
          />
          <Pager cursor={cursor} next={entries.data.next_cursor} />
        </div>
      )}
    </Section>
  );
}

function useColumns(): Column<AuditEntry>[] {
  const t = useText(texts);
  const f = useFormats();
  return [
    { id: "date", header: t.at, cell: (entry) => f.instant(entry.occurred_at) },
    { id: "action", header: t.action, cell: (entry) => t.actions[entry.action] ?? entry.action, isTitle: true },
    { id: "id", header: t.subject, cell: (entry) => entry.subject },
    { id: "actor", header: t.actor, cell: (entry) => <Name text={entry.actor} /> },
    { id: "from", header: t.from, cell: (entry) => entry.client_address ?? "–" },
    { id: "changes", header: t.changes, cell: (entry) => <Changes changes={entry.changes} /> },
  ];
}

function Changes({ changes }: { changes: Record<string, unknown> }) {
  const members = Object.entries(changes);
  if (members.length === 0) return "–";
  return (
    <span className={styles.changes}>
      {members.map(([name, value]) => (
        <span key={name}>
          <span className={styles.member}>{name}</span> <bdi>{written(value)}</bdi>
        </span>
      ))}
    </span>
  );
}

function written(value: unknown): string {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => `${name} ${written(inner)}`)
      .join(", ");
  }
  return Array.isArray(value) ? value.map(written).join(", ") : String(value);
}
