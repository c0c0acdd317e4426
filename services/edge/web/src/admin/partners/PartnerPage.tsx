// The page of one partner: its data as a customer, this month, its keys, its last bills and its audit log.
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { KeyPage, ListPage, Partner, PartnerBill, Watches, Webhooks } from "../../api/types";
import { capitalized, useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Badge, Empty, Notice } from "../../shell/states";
import { AuditPanel } from "../audit/AuditSection";
import { call, query } from "../client";
import type { Column } from "../components/DataTable";
import { Lines, Panel, RequestError, Section, Small } from "../components/elements";
import { FactList } from "../components/FactList";
import { LoadedTable, useRead } from "../components/loaded";
import { Notes } from "../keys/cells";
import { ItemPage } from "../keys/KeyPage";
import styles from "../keys/KeyPage.module.css";
import { useKeyColumns } from "../keys/KeysTable";
import { type KeyTask, KeyTaskDialog } from "../keys/KeyTaskDialog";
import { address } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { LastDays } from "../usage/LastDays";
import { Tiles } from "../usage/Report";
import { useCustomerFacts } from "./CustomerFacts";
import ownStyles from "./PartnerPage.module.css";
import { PartnerBadge, type PartnerTask, PartnerTaskDialog } from "./PartnersSection";
import { partnerTexts } from "./texts";

const ROWS = 10;

export function PartnerPage({ id }: { id: string }) {
  const t = useText(partnerTexts);
  const mayChange = useHasRole("operator");
  const [task, setTask] = useState<PartnerTask | null>(null);
  const partner = useRead<Partner>(`/partners/${encodeURIComponent(id)}`);
  return (
    <ItemPage section="partners" title={t.title} of={partner}>
      {(data) => (
        <>
          <Section
            title={data.name}
            intro={<PartnerBadge partner={data} />}
            actions={<Actions partner={data} mayChange={mayChange} start={setTask} />}
          >
            <ThisMonth partner={data} />
            <CustomerPanel partner={data} />
            <LastDays of={{ partner: id }} />
            <Keys partner={data} mayChange={mayChange} />
            <Bills id={id} />
            <Events id={id} mayChange={mayChange} />
            {mayChange && <AuditPanel subject={id} />}
          </Section>
          {task && <PartnerTaskDialog task={task} onClose={() => setTask(null)} />}
        </>
      )}
    </ItemPage>
  );
}

function Actions({
  partner,
  mayChange,
  start,
}: {
  partner: Partner;
  mayChange: boolean;
  start: (task: PartnerTask) => void;
}) {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  const isActive = partner.status === "active";
  return (
    <>
      <Button component="a" variant="default" href={address("usage", { partner: partner.id })}>
        {t.seeUsage}
      </Button>
      {mayChange && (
        <>
          <Button variant="default" onClick={() => start({ kind: "edit", partner })}>
            {a.edit}
          </Button>
          <Button
            variant="default"
            className={isActive ? styles.revoke : undefined}
            onClick={() => start({ kind: "toggle", partner })}
          >
            {isActive ? t.disable : t.enable}
          </Button>
        </>
      )}
    </>
  );
}

/** The watches of the partner, the endpoints that get its events, and the action that ends all of them. */
function Events({ id, mayChange }: { id: string; mayChange: boolean }) {
  const t = useText(partnerTexts);
  const f = useFormats();
  const path = `/partners/${encodeURIComponent(id)}`;
  const queries = useQueryClient();
  const read = useQuery({
    queryKey: ["partners", "events", id],
    queryFn: ({ signal }) =>
      Promise.all([call<Watches>(`${path}/watches`, { signal }), call<Webhooks>(`${path}/webhooks`, { signal })]),
  });
  const end = useMutation({
    mutationFn: (ended: string) => call<void>(`${path}/${ended}`, { method: "DELETE" }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const [{ watches }, { webhooks }] = read.data ?? [{ watches: [] }, { webhooks: [] }];
  const isEmpty = watches.length + webhooks.length === 0;
  const endOne = (ended: string) =>
    mayChange && (
      <Button variant="subtle" size="compact-xs" onClick={() => end.mutate(ended)}>
        {t.endOne}
      </Button>
    );
  return (
    <Panel title={t.events}>
      {read.isError && <RequestError error={read.error} onRetry={() => void read.refetch()} />}
      {end.isError && <RequestError error={end.error} onRetry={() => end.reset()} />}
      {read.data && isEmpty && <p>{t.noEvents}</p>}
      <ul>
        {webhooks.map((webhook) => (
          <li key={`${webhook.id} ${webhook.created_at}`}>
            <bdi>{webhook.url}</bdi> ({webhook.state}) {endOne(`webhooks/${webhook.id}`)}
          </li>
        ))}
        {watches.map((watch) => (
          <li key={`${watch.id} ${watch.created_at}`}>
            <bdi>{watch.name ?? watch.id}</bdi> – {f.date(watch.created_at)} {endOne(`watches/${watch.id}`)}
          </li>
        ))}
      </ul>
      {mayChange && !isEmpty && (
        <Button
          variant="default"
          className={styles.revoke}
          loading={end.isPending}
          onClick={() => confirm(t.endEventsDetail) && end.mutate("watches")}
        >
          {t.endEvents}
        </Button>
      )}
    </Panel>
  );
}

function ThisMonth({ partner: { overview } }: { partner: Partner }) {
  const t = useText(partnerTexts);
  const f = useFormats();
  if (overview === null) return null;
  const tiles: [string, string][] = [
    [t.net, f.money(overview.net, overview.currency)],
    [t.units, f.number(overview.units)],
    [t.requests, f.number(overview.requests)],
    [t.activeKeys, t.activeOf(f.number(overview.active_keys), f.number(overview.keys))],
  ];
  return (
    <Panel title={`${t.thisMonth} – ${f.month(overview.month)}`}>
      {overview.held_reasons.length > 0 && <Notice tone="warning">{overview.held_reasons.join(" ")}</Notice>}
      <Tiles tiles={tiles} />
    </Panel>
  );
}

function CustomerPanel({ partner }: { partner: Partner }) {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const facts: [string, ReactNode][] = [
    ...useCustomerFacts()(partner),
    [t.defaultPlan, partner.default_plan === null ? a.none : <bdi key="plan">{partner.default_plan}</bdi>],
    ["ID", <code key="id">{partner.id}</code>],
    [a.createdOn, partner.created_at ? f.date(partner.created_at) : "–"],
  ];
  if (Object.keys(partner.metadata).length) facts.push([t.notes, <Notes key="notes" metadata={partner.metadata} />]);
  return (
    <Panel title={t.customer}>
      <FactList facts={facts} className={ownStyles.customer ?? ""} />
    </Panel>
  );
}

const COLUMNS = ["label", "id", "status", "used", "pricing", "date"];

/** The keys with the most usage this month, and a link to all. */
function Keys({ partner, mayChange }: { partner: Partner; mayChange: boolean }) {
  const t = useText(partnerTexts);
  const f = useFormats();
  const [task, setTask] = useState<KeyTask | null>(null);
  const keys = useRead<KeyPage>(`/api-keys${query({ partner: partner.id, sort: "-month_units", limit: ROWS })}`);
  const columns = useKeyColumns().filter(({ id }) => COLUMNS.includes(id));
  return (
    <Panel
      title={t.keys}
      actions={
        <>
          {mayChange && (
            <Button variant="default" size="xs" onClick={() => setTask({ kind: "create", partner: partner.name })}>
              {t.newKey}
            </Button>
          )}
          {keys.data && keys.data.total > 0 && (
            <a href={address("keys", { partner: partner.id })}>{t.allKeys(f.number(keys.data.total))}</a>
          )}
        </>
      }
    >
      <LoadedTable
        of={keys}
        empty={
          <Empty icon="key" title={t.noKeys}>
            {t.noKeysDetail}
          </Empty>
        }
        caption={t.keys}
        columns={columns}
        rowId={(key) => key.id}
      />
      {task && <KeyTaskDialog task={task} start={setTask} />}
    </Panel>
  );
}

function Bills({ id }: { id: string }) {
  const t = useText(partnerTexts);
  const bills = useRead<ListPage<PartnerBill>>(`/partners/${encodeURIComponent(id)}/bills`);
  const columns = useBillColumns();
  return (
    <Panel title={t.bills}>
      <LoadedTable
        of={bills}
        empty={<Empty title={t.noBills}>{t.noBillsDetail}</Empty>}
        caption={t.bills}
        columns={columns}
        rowId={(bill) => bill.month}
      />
    </Panel>
  );
}

function useBillColumns(): Column<PartnerBill>[] {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const amount = (name: "net" | "vat" | "gross") => (bill: PartnerBill) => f.money(bill[name], bill.currency);
  return [
    { id: "month", header: t.month, cell: (bill) => capitalized(f.month(bill.month)), isTitle: true },
    {
      id: "status",
      header: a.status,
      cell: ({ provisional: open }) => <Badge tone={open ? "warning" : "success"}>{open ? t.open : t.closed}</Badge>,
    },
    { id: "units", header: t.units, cell: (bill) => f.number(bill.units), isNumber: true },
    { id: "net", header: t.net, cell: amount("net"), isNumber: true },
    { id: "vat", header: t.vat, cell: amount("vat"), isNumber: true },
    { id: "gross", header: t.gross, cell: amount("gross"), isNumber: true },
    {
      id: "issued",
      header: t.issued,
      cell: ({ issued, held_reasons }) => (
        <Lines>
          {held_reasons.length > 0 && <Small>{t.onHold(held_reasons.join(" "))}</Small>}
          {issued.map((document) => (
            <a key={document.id} href={`/api/v1/admin/bills/${document.id}.pdf`}>
              {t.kinds[document.kind ?? "bill"]} {document.number}
            </a>
          ))}
        </Lines>
      ),
    },
  ];
}
