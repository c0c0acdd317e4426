// Partners, who own the keys. Disabling a partner stops all its keys.
import { Button, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ListPage, Partner } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { translations, useText } from "../../shell/language";
import { Badge, Empty, Loading, Notice } from "../../shell/states";
import { call, query } from "../client";
import { type Column, DataTable, Pager, useCursor } from "../components/DataTable";
import { FILLS_WIDTH, Name, RequestError, Section, Toolbar } from "../components/elements";
import { FormDialog } from "../components/FormDialog";
import { address, useRoute } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { isSiren, LEGAL_MEMBERS, legalData, legalTexts, withLegalData } from "./legalData";

const texts = translations({
  title: ["Partenaires", "Partners"],
  intro: [
    "Ceux à qui les clés sont remises. Créer la première clé d’un partenaire le crée aussi.",
    "Those whom keys are given to. A partner is also made by creating its first key.",
  ],
  newPartner: ["Nouveau partenaire", "New partner"],
  rename: [(name: string) => `Modifier ${name}`, (name: string) => `Edit ${name}`],
  empty: ["Aucun partenaire", "No partners"],
  emptyDetail: ["Créez-en un, ou créez une clé à son nom.", "Create one, or create a key in its name."],
  noMatch: ["Aucun partenaire ne correspond", "No partner matches"],
  statuses: {
    active: ["Actif", "Active"],
    disabled: ["Désactivé", "Disabled"],
  },
  sirenWrong: [
    "Un SIREN a 9 chiffres, dont le dernier est une clé de contrôle.",
    "A SIREN has 9 digits; the last one is a check digit.",
  ],
  keys: ["Voir ses clés", "See its keys"],
  disable: ["Désactiver", "Disable"],
  enable: ["Réactiver", "Enable"],
  disableOne: [(name: string) => `Désactiver ${name} ?`, (name: string) => `Disable ${name}?`],
  enableOne: [(name: string) => `Réactiver ${name} ?`, (name: string) => `Enable ${name}?`],
  disableDetail: [
    "Toutes ses clés cessent de fonctionner immédiatement, jusqu’à sa réactivation.",
    "All its keys will be refused at once, until it is enabled again.",
  ],
  enableDetail: ["Ses clés actives seront de nouveau acceptées.", "Its active keys will be taken again."],
});

type Dialog = { kind: "new" } | { kind: "rename" | "toggle"; partner: Partner };

export function PartnersSection() {
  const t = useText(texts);
  const a = useText(adminTexts);
  const mayChange = useHasRole("operator");
  const { params, setParams } = useRoute();
  const cursor = useCursor();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const q = params.get("q");
  const search = useDebouncedCallback((text: string) => {
    cursor.first();
    setParams({ q: text.trim() });
  }, 300);
  const wanted = query({ q, limit: 50, cursor: cursor.current });
  const partners = useQuery({
    queryKey: ["partners", wanted],
    queryFn: ({ signal }) => call<ListPage<Partner>>(`/partners${wanted}`, { signal }),
    placeholderData: (before) => before,
  });
  const columns = useColumns(setDialog, mayChange);
  const close = () => setDialog(null);
  const newPartner = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setDialog({ kind: "new" })}>
      {t.newPartner}
    </Button>
  );
  return (
    <Section title={t.title} intro={t.intro} actions={newPartner}>
      {!mayChange && <Notice>{a.readOnly}</Notice>}
      <Toolbar>
        <TextInput
          className={FILLS_WIDTH}
          type="search"
          label={a.search}
          leftSection={<Icon name="search" />}
          defaultValue={q ?? ""}
          onChange={(event) => search(event.currentTarget.value)}
        />
      </Toolbar>
      {partners.isError && <RequestError error={partners.error} onRetry={() => void partners.refetch()} />}
      {partners.isPending && <Loading />}
      {partners.data && partners.data.items.length === 0 && (
        <Empty title={q ? t.noMatch : t.empty} action={!q && newPartner}>
          {!q && t.emptyDetail}
        </Empty>
      )}
      {partners.data && partners.data.items.length > 0 && (
        <div>
          <DataTable
            caption={t.title}
            columns={columns}
            rows={partners.data.items}
            rowId={(partner) => partner.id}
            isPending={partners.isPlaceholderData}
          />
          <Pager cursor={cursor} next={partners.data.next_cursor} />
        </div>
      )}
      {(dialog?.kind === "new" || dialog?.kind === "rename") && (
        <NameForm partner={dialog.kind === "rename" ? dialog.partner : null} onClose={close} />
      )}
      {dialog?.kind === "toggle" && <ToggleForm partner={dialog.partner} onClose={close} />}
    </Section>
  );
}

function useColumns(open: (dialog: Dialog) => void, mayChange: boolean): Column<Partner>[] {
  const t = useText(texts);
  const a = useText(adminTexts);
  const f = useFormats();
  return [
    { id: "name", header: a.name, cell: (partner) => <Name text={partner.name} />, isTitle: true },
    { id: "id", header: "ID", cell: (partner) => partner.id },
    {
      id: "status",
      header: a.status,
      cell: (partner) => (
        <Badge tone={partner.status === "active" ? "success" : "error"}>{t.statuses[partner.status]}</Badge>
      ),
    },
    { id: "date", header: a.createdOn, cell: (partner) => (partner.created_at ? f.date(partner.created_at) : "–") },
    {
      id: "actions",
      header: a.actions,
      cell: (partner) => (
        <span>
          <Button component="a" variant="subtle" size="compact-sm" href={address("keys", { partner: partner.id })}>
            {t.keys}
          </Button>
          {mayChange && (
            <>
              <Button variant="subtle" size="compact-sm" onClick={() => open({ kind: "rename", partner })}>
                {a.edit}
              </Button>
              <Button variant="subtle" size="compact-sm" onClick={() => open({ kind: "toggle", partner })}>
                {partner.status === "active" ? t.disable : t.enable}
              </Button>
            </>
          )}
        </span>
      ),
    },
  ];
}

function NameForm({ partner, onClose }: { partner: Partner | null; onClose: () => void }) {
  const t = useText(texts);
  const a = useText(adminTexts);
  const labels = useText(legalTexts);
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: partner?.name ?? "", legal: legalData(partner?.metadata ?? {}) },
    validate: {
      name: (value) => (value.trim() ? null : a.required),
      legal: { siren: (value) => (value.trim() && !isSiren(value) ? t.sirenWrong : null) },
    },
  });
  const save = async () => {
    const { name, legal } = form.getValues();
    const body = { name, metadata: withLegalData(partner?.metadata ?? {}, legal) };
    if (partner) await call(`/partners/${encodeURIComponent(partner.id)}`, { method: "PATCH", body });
    else await call("/partners", { method: "POST", body });
    void queries.invalidateQueries();
    onClose();
  };
  return (
    <FormDialog
      title={partner ? t.rename(partner.name) : t.newPartner}
      submitLabel={partner ? a.save : a.create}
      conflict={a.nameTaken}
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput label={a.name} maxLength={200} dir="auto" data-autofocus {...form.getInputProps("name")} />
      {LEGAL_MEMBERS.map((member) =>
        member === "billing_address" ? (
          <Textarea
            key={member}
            label={labels[member]}
            autosize
            maxLength={500}
            dir="auto"
            {...form.getInputProps(`legal.${member}`)}
          />
        ) : (
          <TextInput
            key={member}
            label={labels[member]}
            maxLength={500}
            dir="auto"
            {...form.getInputProps(`legal.${member}`)}
          />
        ),
      )}
    </FormDialog>
  );
}

function ToggleForm({ partner, onClose }: { partner: Partner; onClose: () => void }) {
  const t = useText(texts);
  const queries = useQueryClient();
  const form = useForm({ initialValues: {} });
  const isActive = partner.status === "active";
  const toggle = async () => {
    const body = { status: isActive ? "disabled" : "active" };
    await call(`/partners/${encodeURIComponent(partner.id)}`, { method: "PATCH", body });
    void queries.invalidateQueries();
    onClose();
  };
  return (
    <FormDialog
      title={isActive ? t.disableOne(partner.name) : t.enableOne(partner.name)}
      submitLabel={isActive ? t.disable : t.enable}
      form={form}
      onSubmit={toggle}
      onClose={onClose}
      isDangerous={isActive}
    >
      <p>{isActive ? t.disableDetail : t.enableDetail}</p>
    </FormDialog>
  );
}
