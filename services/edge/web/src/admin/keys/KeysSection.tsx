// The list of keys, with search, sort and actions.
import { ActionIcon, Button, Menu, Select, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiKey, type IssuedKey, KEY_STATUSES, type ListPage } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Badge, Empty, Loading, Notice } from "../../shell/states";
import { call, query } from "../client";
import { type Column, DataTable, Pager, useCursor } from "../components/DataTable";
import { FILLS_WIDTH, Lines, Name, RequestError, Section, Small, Toolbar } from "../components/elements";
import { PartnerFilter } from "../components/fields";
import { address, useRoute } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { AssistantCell, PricingCell, QuotaCell, StatusBadge, UsageCell } from "./cells";
import { KeyDetails } from "./KeyDetails";
import { RevokeDialog, RotateDialog, SecretDialog } from "./KeyDialogs";
import { EditKeyForm, NewKeyForm } from "./KeyForm";
import styles from "./KeysSection.module.css";
import { keyTexts } from "./texts";

const PAGE = 50;
const NEWEST = "-created_at";

type Dialog =
  | { kind: "create" }
  | { kind: "secret"; issued: IssuedKey }
  | { kind: "details" | "edit" | "rotate" | "revoke"; apiKey: ApiKey };

export function KeysSection() {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const mayChange = useHasRole("operator");
  const { params, setParams } = useRoute();
  const cursor = useCursor();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = () => setDialog(null);

  const filters = { q: params.get("q"), status: params.get("status"), partner: params.get("partner") };
  const sort = params.get("sort") ?? NEWEST;
  const isFiltered = Object.values(filters).some(Boolean);
  const narrow = (changes: Record<string, string | null>) => {
    cursor.first();
    setParams(changes);
  };
  const search = useDebouncedCallback((text: string) => narrow({ q: text.trim() }), 300);
  const wanted = query({ ...filters, sort, limit: PAGE, cursor: cursor.current });
  const keys = useQuery({
    queryKey: ["keys", wanted],
    queryFn: ({ signal }) => call<ListPage<ApiKey>>(`/api-keys${wanted}`, { signal }),
    placeholderData: (before) => before,
  });
  const columns = useColumns(setDialog, mayChange);
  const newKey = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setDialog({ kind: "create" })}>
      {t.newKey}
    </Button>
  );
  return (
    <Section title={t.title} intro={t.intro} actions={newKey}>
      {!mayChange && <Notice>{a.readOnly}</Notice>}
      <Toolbar>
        <TextInput
          key={isFiltered ? "search" : "cleared"} // a new key empties the field when the filters are cleared
          className={FILLS_WIDTH}
          type="search"
          label={a.search}
          placeholder={t.searchNote}
          leftSection={<Icon name="search" />}
          defaultValue={filters.q ?? ""}
          onChange={(event) => search(event.currentTarget.value)}
        />
        <Select
          label={a.status}
          data={[
            { value: "", label: a.all },
            ...KEY_STATUSES.map((each) => ({ value: each, label: t.statuses[each] })),
          ]}
          value={filters.status ?? ""}
          allowDeselect={false}
          onChange={(status) => narrow({ status })}
        />
        <PartnerFilter value={filters.partner} onChange={(partner) => narrow({ partner })} />
        <Select
          label={t.sortBy}
          data={Object.entries(t.sorts).map(([value, label]) => ({ value, label }))}
          value={sort in t.sorts ? sort : null}
          allowDeselect={false}
          onChange={(chosenSort) => narrow({ sort: chosenSort })}
        />
      </Toolbar>
      {keys.isError && <RequestError error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <Loading />}
      {keys.data && keys.data.items.length === 0 && (
        <Empty
          icon={isFiltered ? "search" : "key"}
          title={isFiltered ? t.noMatch : t.empty}
          action={
            isFiltered ? (
              <Button variant="default" onClick={() => narrow({ q: null, status: null, partner: null })}>
                {t.clearFilters}
              </Button>
            ) : (
              newKey
            )
          }
        >
          {isFiltered ? t.noMatchDetail : t.emptyDetail}
        </Empty>
      )}
      {keys.data && keys.data.items.length > 0 && (
        <div>
          <DataTable
            caption={t.title}
            columns={columns}
            rows={keys.data.items}
            rowId={(key) => key.id}
            sorting={{ by: sort, change: (by) => narrow({ sort: by }) }}
            isPending={keys.isPlaceholderData}
          />
          <Pager cursor={cursor} next={keys.data.next_cursor} />
        </div>
      )}
      {dialog && (
        <KeyDialog
          dialog={dialog}
          onClose={close}
          onShow={(issued) => setDialog({ kind: "secret", issued })}
          onEdit={mayChange ? (apiKey) => setDialog({ kind: "edit", apiKey }) : null}
        />
      )}
    </Section>
  );
}

function KeyDialog({
  dialog,
  onShow,
  onEdit,
  onClose,
}: {
  dialog: Dialog;
  onShow: (issued: IssuedKey) => void;
  onEdit: ((apiKey: ApiKey) => void) | null;
  onClose: () => void;
}) {
  switch (dialog.kind) {
    case "create":
      return <NewKeyForm onCreated={onShow} onClose={onClose} />;
    case "secret":
      return <SecretDialog issued={dialog.issued} onClose={onClose} />;
    case "edit":
      return <EditKeyForm apiKey={dialog.apiKey} onClose={onClose} />;
    case "rotate":
      return <RotateDialog apiKey={dialog.apiKey} onRotated={onShow} onClose={onClose} />;
    case "revoke":
      return <RevokeDialog apiKey={dialog.apiKey} onClose={onClose} />;
    case "details": {
      const canEdit = onEdit !== null && dialog.apiKey.status === "active";
      return (
        <KeyDetails apiKey={dialog.apiKey} onClose={onClose} onEdit={canEdit ? () => onEdit(dialog.apiKey) : null} />
      );
    }
  }
}

function useColumns(open: (dialog: Dialog) => void, mayChange: boolean): Column<ApiKey>[] {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  return [
    {
      id: "id",
      header: t.id,
      cell: (key) => (
        <UnstyledButton
          className={styles.id}
          aria-label={t.seeDetails(key.id)}
          onClick={() => open({ kind: "details", apiKey: key })}
        >
          {key.id}
        </UnstyledButton>
      ),
      sortBy: "created_at",
    },
    {
      id: "partner",
      header: a.partner,
      cell: (key) => (
        <Lines>
          <Name text={key.partner.name} />
          {key.partner.status === "disabled" && <Badge tone="error">{t.partnerDisabled}</Badge>}
        </Lines>
      ),
      sortBy: "partner",
      isTitle: true,
    },
    { id: "label", header: a.label, cell: (key) => <Name text={key.label} />, sortBy: "label" },
    { id: "status", header: a.status, cell: (key) => <StatusBadge apiKey={key} /> },
    { id: "key", header: t.key, cell: (key) => key.masked },
    {
      id: "used",
      header: t.monthUsage,
      cell: (key) => <UsageCell apiKey={key} />,
      sortBy: "month_units",
      isNumber: true,
    },
    { id: "pricing", header: t.pricing, cell: (key) => <PricingCell apiKey={key} /> },
    { id: "quota", header: t.quota, cell: (key) => <QuotaCell apiKey={key} /> },
    { id: "assistant", header: t.assistant, cell: (key) => <AssistantCell apiKey={key} /> },
    {
      id: "date",
      header: t.lastUse,
      cell: (key) =>
        key.last_used_at ? (
          <span title={f.instant(key.last_used_at)}>{f.ago(key.last_used_at)}</span>
        ) : (
          <Small>{a.never}</Small>
        ),
      sortBy: "last_used_at",
    },
    {
      id: "actions",
      header: t.action,
      cell: (key) => <Actions apiKey={key} open={open} mayChange={mayChange} />,
    },
  ];
}

function Actions({ apiKey, open, mayChange }: { apiKey: ApiKey; open: (dialog: Dialog) => void; mayChange: boolean }) {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const canChange = mayChange && apiKey.status === "active";
  return (
    <span className={styles.actions}>
      {mayChange && apiKey.status !== "revoked" && (
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          className={styles.revoke}
          aria-label={t.revokeOne(apiKey.id)}
          onClick={() => open({ kind: "revoke", apiKey })}
        >
          {t.revoke}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.moreActions(apiKey.id)}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => open({ kind: "details", apiKey })}>{t.details}</Menu.Item>
          <Menu.Item component="a" href={address("usage", { key: apiKey.id })}>
            {t.seeUsage}
          </Menu.Item>
          {canChange && (
            <>
              <Menu.Item onClick={() => open({ kind: "edit", apiKey })}>{a.edit}</Menu.Item>
              <Menu.Item onClick={() => open({ kind: "rotate", apiKey })}>{t.rotate}</Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}
