// The list of partners, with their keys, usage and amount of this month.
import { ActionIcon, Button, Menu } from "@mantine/core";
import { useState } from "react";
import type { Partner, PartnerPage } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Badge, Empty, Notice } from "../../shell/states";
import { query } from "../client";
import { type Column, Pager, useCursor } from "../components/DataTable";
import { Lines, Name, Section, Small, Toolbar } from "../components/elements";
import { SearchField, SortField } from "../components/fields";
import { LoadedTable, useRead } from "../components/loaded";
import sectionStyles from "../keys/KeysSection.module.css";
import { address, useRoute } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { PartnerForm, ToggleForm } from "./PartnerForm";
import { partnerTexts } from "./texts";

export type PartnerTask = { kind: "new" } | { kind: "edit" | "toggle"; partner: Partner };

const NEWEST = "-created_at";

export function PartnersSection() {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const mayChange = useHasRole("operator");
  const { params, setParams } = useRoute();
  const [task, setTask] = useState<PartnerTask | null>(null);
  const q = params.get("q");
  const sort = params.get("sort") ?? NEWEST;
  const cursor = useCursor(query({ q, sort }));
  const filters = { q, sort, include: "overview", limit: 50, cursor: cursor.current };
  const partners = useRead<PartnerPage>(`/partners${query(filters)}`, { keeps: true });
  const columns = useColumns(setTask, mayChange);
  const newPartner = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setTask({ kind: "new" })}>
      {t.newPartner}
    </Button>
  );
  return (
    <Section title={t.title} intro={t.intro} actions={newPartner}>
      {!mayChange && <Notice>{a.readOnly}</Notice>}
      <Toolbar>
        <SearchField placeholder={t.searchNote} value={q ?? ""} onSearch={(text) => setParams({ q: text })} />
        <SortField sorts={t.sorts} sort={sort} />
      </Toolbar>
      <LoadedTable
        of={partners}
        empty={
          <Empty title={q ? t.noMatch : t.empty} action={!q && newPartner}>
            {!q && t.emptyDetail}
          </Empty>
        }
        above={({ total }) => (
          <p className={sectionStyles.count} role="status">
            {t.count(total, f.number(total))}
          </p>
        )}
        below={({ next_cursor: next }) => <Pager cursor={cursor} next={next} />}
        caption={t.title}
        columns={columns}
        rowId={(partner) => partner.id}
        sorting={{ by: sort, change: (by) => setParams({ sort: by }) }}
      />
      {task && <PartnerTaskDialog task={task} onClose={() => setTask(null)} />}
    </Section>
  );
}

export function PartnerTaskDialog({ task, onClose }: { task: PartnerTask; onClose: () => void }) {
  const open = (partner: Partner) => {
    location.hash = address("partners", {}, partner.id);
  };
  switch (task.kind) {
    case "new":
      return <PartnerForm partner={null} onDone={open} onClose={onClose} />;
    case "edit":
      return <PartnerForm partner={task.partner} onClose={onClose} />;
    case "toggle":
      return <ToggleForm partner={task.partner} onClose={onClose} />;
  }
}

export function PartnerBadge({ partner }: { partner: Pick<Partner, "status"> }) {
  const t = useText(partnerTexts);
  return <Badge tone={partner.status === "active" ? "success" : "error"}>{t.statuses[partner.status]}</Badge>;
}

function useColumns(start: (task: PartnerTask) => void, mayChange: boolean): Column<Partner>[] {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  return [
    {
      id: "name",
      header: a.name,
      cell: (partner) => (
        <Lines>
          <a href={address("partners", {}, partner.id)}>
            <Name text={partner.name} />
          </a>
          {partner.legal_name && partner.legal_name !== partner.name && (
            <Small>
              <Name text={partner.legal_name} />
            </Small>
          )}
        </Lines>
      ),
      sortBy: "name",
      isTitle: true,
    },
    {
      id: "keys",
      header: t.activeKeys,
      cell: ({ overview }) => overview && t.activeOf(f.number(overview.active_keys), f.number(overview.keys)),
      sortBy: "keys",
      isNumber: true,
    },
    {
      id: "requests",
      header: t.requests,
      cell: ({ overview }) => overview && f.number(overview.requests),
      sortBy: "requests",
      isNumber: true,
    },
    {
      id: "units",
      header: t.units,
      cell: ({ overview }) => overview && f.number(overview.units),
      sortBy: "units",
      isNumber: true,
    },
    {
      id: "net",
      header: t.net,
      cell: ({ overview }) => overview && f.money(overview.net, overview.currency),
      sortBy: "net",
      isNumber: true,
    },
    { id: "status", header: a.status, cell: (partner) => <PartnerBadge partner={partner} /> },
    {
      id: "date",
      header: a.createdOn,
      cell: (partner) => (partner.created_at ? f.date(partner.created_at) : "–"),
      sortBy: "created_at",
    },
    {
      id: "actions",
      header: a.actions,
      cell: (partner) => <Actions partner={partner} start={start} mayChange={mayChange} />,
    },
  ];
}

function Actions({
  partner,
  start,
  mayChange,
}: {
  partner: Partner;
  start: (task: PartnerTask) => void;
  mayChange: boolean;
}) {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t.moreActions(partner.name)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={address("partners", {}, partner.id)}>
          {t.openPage}
        </Menu.Item>
        <Menu.Item component="a" href={address("keys", { partner: partner.id })}>
          {t.seeKeys}
        </Menu.Item>
        <Menu.Item component="a" href={address("usage", { partner: partner.id })}>
          {t.seeUsage}
        </Menu.Item>
        {mayChange && (
          <>
            <Menu.Item onClick={() => start({ kind: "edit", partner })}>{a.edit}</Menu.Item>
            <Menu.Item onClick={() => start({ kind: "toggle", partner })}>
              {partner.status === "active" ? t.disable : t.enable}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
