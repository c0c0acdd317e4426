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
import plain from "./texts.json";

const texts = translations(plain);

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
