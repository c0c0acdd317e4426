// What is set in this installation, what is not and what that means, and what can be tried. Nothing can be changed here.
import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Installation } from "../../api/types";
import { useFormats } from "../../shell/format";
import { translations, useText } from "../../shell/language";
import { Badge, Notice } from "../../shell/states";
import { call } from "../client";
import { type Column, DataTable } from "../components/DataTable";
import { RequestError, Section } from "../components/elements";
import { Loaded, useRead } from "../components/loaded";

const texts = translations({
  title: ["Réglages", "Settings"],
  intro: [
    "Ce qui est réglé ici, en lecture. Les réglages se changent sur le serveur (docs/settings.md).",
    "What is set here, to read. Settings are changed on the server (docs/settings.md).",
  ],
  setting: ["Réglage", "Setting"],
  state: ["État", "State"],
  meaning: ["Ce que cela veut dire", "What that means"],
  on: ["réglé", "set"],
  off: ["non réglé", "not set"],
  check: ["à vérifier", "check it"],
  untried: ["à essayer", "try it"],
  seller: ["Vendeur", "Seller"],
  noSeller: [
    "Sans vendeur, aucune facture n’est émise (KEYS_SELLER).",
    "Without a seller, no bill is issued (KEYS_SELLER).",
  ],
  signIn: ["Connexion par un fournisseur", "Sign-in by a provider"],
  noSignIn: [
    "Les administrateurs se connectent par mot de passe (KEYS_OIDC_ISSUER).",
    "Admins sign in by password (KEYS_OIDC_ISSUER).",
  ],
  mail: ["Courriel", "Mail"],
  noneWaits: [
    "Aucun courriel n’attend. Le programme keys mail les envoie, que make run ne lance pas : un essai dit s’il tourne.",
    "No mail waits. The program keys mail sends them, which make run does not start: a test shows whether it runs.",
  ],
  waiting: [
    (count: number, since: string) =>
      `${count} en attente depuis ${since}. Si cela dure, le programme keys mail ne tourne pas (make run ne le lance pas), ou le serveur refuse.`,
    (count: number, since: string) =>
      `${count} waiting since ${since}. If that lasts, the program keys mail does not run (make run does not start it), or the server refuses.`,
  ],
  tryMail: ["M’envoyer un essai", "Send me a test"],
  webhooks: ["Webhooks des clés", "Webhooks of keys"],
  noWebhooks: [
    "Les événements des clés ne sont que lus, pas poussés (KEYS_WEBHOOK_KEY).",
    "Events of keys are only read, not pushed (KEYS_WEBHOOK_KEY).",
  ],
  failing: [(count: number) => `En échec : ${count}`, (count: number) => `Failing: ${count}`],
  tryWebhooks: ["Réessayer maintenant", "Try again now"],
  visitors: ["Clés des visiteurs", "Visitors' keys"],
  perDay: [(count: number) => `${count} par jour au plus`, (count: number) => `at most ${count} a day`],
  noVisitors: [
    "Personne n’essaie sans clé d’un partenaire (EDGE_VISITOR_KEYS_PER_DAY).",
    "Nobody tries without a partner's key (EDGE_VISITOR_KEYS_PER_DAY).",
  ],
  url: ["Adresse publique", "Public address"],
  noUrl: [
    "La description de l’API a des adresses relatives (EDGE_PUBLIC_URL).",
    "The API description has relative addresses (EDGE_PUBLIC_URL).",
  ],
  parts: ["Parties de l’API", "Parts of the API"],
  allParts: ["Tout est ouvert.", "All are on."],
  partsOff: [(names: string) => `Coupées : ${names}`, (names: string) => `Off: ${names}`],
  backup: ["Dernière sauvegarde", "Last backup"],
  noBackup: [
    "make backup n’a jamais fini ici. Des instantanés d’un cluster n’y sont pas notés.",
    "make backup never ended here. Snapshots of a cluster are not noted.",
  ],
  languages: ["Langues", "Languages"],
  bothLanguages: ["français, anglais", "French, English"],
  versions: ["Versions", "Versions"],
  tried: ["Demandé. L’état suit dans quelques secondes.", "Requested. The state follows within seconds."],
});

interface Row {
  name: string;
  /** Null: not set. */
  value: string | null;
  meaning?: string;
  needsCheck?: boolean;
  /** Whether only a try shows the state. */
  isUntried?: boolean;
  tries?: { channel: "mail" | "webhooks"; label: string };
}

export function SettingsSection() {
  const t = useText(texts);
  const queries = useQueryClient();
  const installation = useRead<Installation>("/installation");
  const attempt = useMutation({
    mutationFn: (channel: string) => call<void>("/installation/tries", { method: "POST", body: { channel } }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const rows = useRows();
  const columns: Column<Row>[] = [
    { id: "name", header: t.setting, cell: ({ name }) => name, isTitle: true },
    { id: "state", header: t.state, cell: (row) => <State row={row} /> },
    { id: "meaning", header: t.meaning, cell: (row) => row.meaning ?? <bdi>{row.value}</bdi> },
    {
      id: "actions",
      header: "",
      cell: ({ tries }) =>
        tries && (
          <Button size="xs" variant="default" onClick={() => attempt.mutate(tries.channel)}>
            {tries.label}
          </Button>
        ),
    },
  ];
  return (
    <Section title={t.title} intro={t.intro}>
      {attempt.isError && <RequestError error={attempt.error} />}
      {attempt.isSuccess && <Notice>{t.tried}</Notice>}
      <Loaded of={installation}>
        {(data) => <DataTable caption={t.title} columns={columns} rows={rows(data)} rowId={({ name }) => name} />}
      </Loaded>
    </Section>
  );
}

function State({ row }: { row: Row }) {
  const t = useText(texts);
  if (row.needsCheck) return <Badge tone="warning">{t.check}</Badge>;
  if (row.isUntried) return <Badge tone="neutral">{t.untried}</Badge>;
  return row.value === null ? <Badge tone="neutral">{t.off}</Badge> : <Badge tone="success">{t.on}</Badge>;
}

function useRows(): (installation: Installation) => Row[] {
  const t = useText(texts);
  const f = useFormats();
  const row = (name: string, value: string | null, meaning: string): Row =>
    value === null ? { name, value, meaning } : { name, value };
  return ({ keys, ...edge }) => [
    row(t.seller, keys.seller, t.noSeller),
    row(t.signIn, keys.single_sign_on, t.noSignIn),
    {
      name: t.mail,
      value: t.noneWaits,
      isUntried: true,
      ...(keys.mails_wait_since !== null && {
        meaning: t.waiting(keys.waiting_mails, f.instant(keys.mails_wait_since)),
        needsCheck: true,
      }),
      tries: { channel: "mail", label: t.tryMail },
    },
    {
      ...row(t.webhooks, keys.has_webhook_key ? t.failing(keys.failing_webhooks) : null, t.noWebhooks),
      needsCheck: keys.failing_webhooks > 0,
      ...(keys.has_webhook_key && { tries: { channel: "webhooks", label: t.tryWebhooks } }),
    },
    row(t.visitors, edge.visitor_keys_per_day > 0 ? t.perDay(edge.visitor_keys_per_day) : null, t.noVisitors),
    row(t.url, edge.public_url, t.noUrl),
    row(t.parts, edge.disabled.length ? t.partsOff(edge.disabled.join(", ")) : t.allParts, ""),
    row(t.backup, keys.last_backup_at && f.instant(keys.last_backup_at), t.noBackup),
    row(t.languages, t.bothLanguages, ""),
    row(t.versions, `edge ${edge.version}, keys ${keys.version}`, ""),
  ];
}
