// The audit log, newest entry first.
import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { AuditEntry, ListPage } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { type Pair, translations, useText } from "../../shell/language";
import { Empty, Loading } from "../../shell/states";
import { call, query } from "../client";
import { type Column, DataTable, Pager, useCursor } from "../components/DataTable";
import { FILLS_WIDTH, Name, RequestError, Section, Toolbar } from "../components/elements";
import { useRoute } from "../route";
import styles from "./AuditSection.module.css";

const texts = translations({
  title: ["Journal", "Audit log"],
  intro: [
    "Chaque changement et chaque refus, par qui et depuis où. Les changements sont conservés ; les refus 40 jours, les adresses IP 30 jours.",
    "Every change and every refusal, by whom and from where. Changes stay; refusals for 40 days, addresses for 30 days.",
  ],
  subject: ["Objet", "Subject"],
  subjectNote: ["Identifiant d’une clé, d’un partenaire…", "The id of a key, a partner…"],
  at: ["Quand", "When"],
  actor: ["Par", "By"],
  action: ["Action", "Action"],
  changes: ["Détail", "Details"],
  from: ["Depuis", "From"],
  empty: ["Aucune entrée", "No entries"],
  emptyDetail: ["Rien n’a encore été modifié, ou pas cet élément.", "Nothing was changed yet, or not this subject."],
  actions: {
    "key.create": ["Clé créée", "Key created"],
    "key.update": ["Clé modifiée", "Key changed"],
    "key.revoke": ["Clé révoquée", "Key revoked"],
    "key.rotate": ["Secret renouvelé", "Secret rotated"],
    "partner.create": ["Partenaire créé", "Partner created"],
    "partner.update": ["Partenaire modifié", "Partner changed"],
    "plan.create": ["Tarif créé", "Plan created"],
    "plan.update": ["Tarif modifié", "Plan changed"],
    "admin.create": ["Compte créé", "Account created"],
    "admin.update": ["Compte modifié", "Account changed"],
    "admin.reset_password": ["Mot de passe remplacé", "Password replaced"],
    "token.create": ["Jeton créé", "Token created"],
    "token.revoke": ["Jeton révoqué", "Token revoked"],
    "invitation.create": ["Invitation envoyée", "Invitation made"],
    "invitation.revoke": ["Invitation révoquée", "Invitation revoked"],
    "invitation.accept": ["Invitation acceptée", "Invitation accepted"],
    "invitation.expire": ["Invitation expirée", "Invitation expired"],
    "refused.invitation": ["Lien d’invitation refusé", "Invitation link refused"],
    "session.start": ["Connexion", "Sign-in"],
    "setup.token": ["Jeton d’installation créé", "Setup token made"],
    "admin.change_password": ["Mot de passe changé", "Password changed"],
    "admin.add_totp": ["Second facteur activé", "Second factor enrolled"],
    "admin.remove_totp": ["Second facteur retiré", "Second factor removed"],
    "access_policy.update": ["Règle de connexion modifiée", "Sign-in rule changed"],
    "refused.sign_in": ["Connexion refusée", "Sign-in refused"],
    "refused.throttled": ["Connexion ralentie", "Sign-in slowed down"],
    "refused.setup": ["Installation refusée", "Setup refused"],
    "refused.role": ["Rôle insuffisant", "Role not sufficient"],
    "refused.csrf": ["Jeton anti-CSRF incorrect", "Wrong CSRF token"],
  } as Record<string, Pair>,
});

export function AuditSection() {
  const t = useText(texts);
  const { params, setParams } = useRoute();
  const cursor = useCursor();
  const subject = params.get("subject");
  const search = useDebouncedCallback((text: string) => {
    cursor.first();
    setParams({ subject: text.trim() });
  }, 300);
  const wanted = query({ subject, limit: 50, cursor: cursor.current });
  const entries = useQuery({
    queryKey: ["audit", wanted],
    queryFn: ({ signal }) => call<ListPage<AuditEntry>>(`/audit${wanted}`, { signal }),
    placeholderData: (before) => before,
  });
  const columns = useAuditColumns();
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

export function useAuditColumns(): Column<AuditEntry>[] {
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
  if (!isReplaced(value)) return <bdi>{formatted(value)}</bdi>;
  return (
    <>
      <del>
        <bdi>{formatted(value.old)}</bdi>
      </del>{" "}
      → <bdi>{formatted(value.new)}</bdi>
    </>
  );
}

function isReplaced(value: unknown): value is { old: unknown; new: unknown } {
  return typeof value === "object" && value !== null && "old" in value && "new" in value;
}

function formatted(value: unknown): string {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return "–";
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => `${name} ${formatted(inner)}`)
      .join(", ");
  }
  return Array.isArray(value) ? value.map(formatted).join(", ") : String(value);
}
