// The audit log, newest entry first.
import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { AuditEntry, Listed } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { dictionary, useText } from "../../shell/language";
import { Empty, Loading } from "../../shell/states";
import { call, query } from "../client";
import { type Column, DataTable, Pager, useCursor } from "../components/DataTable";
import { FILLS_WIDTH, Name, RequestError, Section, Toolbar } from "../components/elements";
import { useRoute } from "../route";
import styles from "./AuditSection.module.css";

const texts = dictionary(
  {
    title: "Journal",
    intro:
      "Chaque changement et chaque refus, par qui et depuis où. Les changements y restent ; les refus 40 jours, les adresses 30 jours.",
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
      "admin.change_password": "Mot de passe changé",
      "admin.add_totp": "Second facteur activé",
      "admin.remove_totp": "Second facteur retiré",
      "access_policy.update": "Règle de connexion modifiée",
      "refused.sign_in": "Connexion refusée",
      "refused.throttled": "Connexion ralentie",
      "refused.setup": "Installation refusée",
      "refused.role": "Rôle insuffisant",
      "refused.csrf": "Jeton anti-CSRF faux",
    } as Record<string, string>,
  },
  {
    title: "Audit log",
    intro:
      "Every change and every refusal, by whom and from where. Changes stay; refusals for 40 days, addresses for 30 days.",
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
      "admin.change_password": "Password changed",
      "admin.add_totp": "Second factor enrolled",
      "admin.remove_totp": "Second factor removed",
      "access_policy.update": "Sign-in rule changed",
      "refused.sign_in": "Sign-in refused",
      "refused.throttled": "Sign-in slowed down",
      "refused.setup": "Setup refused",
      "refused.role": "Role not sufficient",
      "refused.csrf": "Wrong CSRF token",
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
          className={FILLS_WIDTH}
          type="search"
          label={t.subject}
          placeholder={t.subjectNote}
          leftSection={<Icon name="search" />}
          defaultValue={subject ?? ""}
          onChange={(event) => search(event.currentTarget.value)}
        />
      </Toolbar>
      {entries.isError && <RequestError error={entries.error} onRetry={() => void entries.refetch()} />}
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
    { id: "id", header: t.subject, cell: (entry) => entry.subject || "–" },
    { id: "actor", header: t.actor, cell: (entry) => <Name text={entry.actor} /> },
    { id: "from", header: t.from, cell: (entry) => entry.client_address ?? "–" },
    { id: "changes", header: t.changes, cell: (entry) => <Changes changes={entry.changes} /> },
  ];
}

function Changes({ changes }: { changes: Record<string, unknown> }) {
  const members = Object.entries(changes).sort(([left], [right]) => left.localeCompare(right));
  if (members.length === 0) return "–";
  return (
    <span className={styles.changes}>
      {members.map(([name, value]) => (
        <span key={name}>
          <span className={styles.member}>{name}</span> <Change value={value} />
        </span>
      ))}
    </span>
  );
}

/** A new value, or the old and the new value. */
function Change({ value }: { value: unknown }) {
  if (!isReplaced(value)) return <bdi>{written(value)}</bdi>;
  return (
    <>
      <del>
        <bdi>{written(value.old)}</bdi>
      </del>{" "}
      → <bdi>{written(value.new)}</bdi>
    </>
  );
}

function isReplaced(value: unknown): value is { old: unknown; new: unknown } {
  return typeof value === "object" && value !== null && "old" in value && "new" in value;
}

function written(value: unknown): string {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return "–";
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => `${name} ${written(inner)}`)
      .join(", ");
  }
  return Array.isArray(value) ? value.map(written).join(", ") : String(value);
}
