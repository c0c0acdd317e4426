// The table of keys: rows of one line, cards if the window is too narrow for all columns.
import { ActionIcon, Button, Menu, UnstyledButton } from "@mantine/core";
import type { ApiKey } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { type Column, DataTable, type Sorting } from "../components/DataTable";
import { address } from "../route";
import { adminTexts } from "../texts";
import { isChangeable, OneLine, StatusBadge, UsageCell, useKeyFacts } from "./cells";
import styles from "./KeysTable.module.css";
import type { KeyTask } from "./KeyTaskDialog";
import { keyTexts } from "./texts";

export function KeysTable({
  keys,
  sorting,
  isPending,
  mayChange,
  start,
}: {
  keys: readonly ApiKey[];
  sorting: Sorting;
  isPending: boolean;
  mayChange: boolean;
  start: (task: KeyTask) => void;
}) {
  const t = useText(keyTexts);
  const columns = useColumns(start, mayChange);
  return (
    <DataTable
      caption={t.title}
      columns={columns}
      rows={keys}
      rowId={(key) => key.id}
      sorting={sorting}
      isPending={isPending}
      layout={styles.table}
    />
  );
}

function useColumns(start: (task: KeyTask) => void, mayChange: boolean): Column<ApiKey>[] {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const facts = useKeyFacts();
  return [
    {
      id: "id",
      header: t.id,
      cell: (key) => (
        <UnstyledButton
          className={styles.id}
          aria-label={t.seeDetails(key.id)}
          onClick={() => start({ kind: "details", apiKey: key })}
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
        <span className={styles.partner}>
          <OneLine fact={{ value: key.partner.name, details: [] }} />
          {key.partner.status === "disabled" && (
            <span className={styles.disabled} role="img" aria-label={t.partnerDisabled} title={t.partnerDisabled}>
              <Icon name="alert" size={16} />
            </span>
          )}
        </span>
      ),
      sortBy: "partner",
      isTitle: true,
    },
    {
      id: "label",
      header: a.label,
      cell: (key) => (
        <a className={styles.label} href={address("keys", {}, key.id)}>
          <OneLine fact={{ value: key.label, details: [] }} />
        </a>
      ),
      sortBy: "label",
    },
    { id: "status", header: a.status, cell: (key) => <StatusBadge apiKey={key} /> },
    { id: "key", header: t.key, cell: ({ id, masked }) => <MaskedKey id={id} masked={masked} /> },
    {
      id: "used",
      header: t.monthUsage,
      cell: (key) => <UsageCell apiKey={key} fact={facts(key).usage} />,
      sortBy: "month_units",
      isNumber: true,
    },
    { id: "pricing", header: t.pricing, cell: (key) => <OneLine fact={facts(key).pricing} /> },
    { id: "quota", header: t.quota, cell: (key) => <OneLine fact={facts(key).quota} /> },
    {
      id: "assistant",
      header: t.assistant,
      cardHeader: t.assistantShort,
      cell: (key) => <OneLine fact={facts(key).assistant} />,
    },
    {
      id: "date",
      header: t.lastUse,
      cardHeader: t.usedShort,
      cell: ({ last_used_at: at }) => (
        <OneLine
          fact={at === null ? { value: a.never, details: [] } : { value: f.ago(at), details: [f.instant(at)] }}
        />
      ),
      sortBy: "last_used_at",
    },
    {
      id: "actions",
      header: t.action,
      cell: (key) => <Actions apiKey={key} start={start} mayChange={mayChange} />,
    },
  ];
}

/** In a narrow table, the part that is the id of the key is hidden: the first column has it. */
function MaskedKey({ id, masked }: { id: string; masked: string }) {
  const [before, after = ""] = masked.split(id, 2);
  return (
    <bdi title={masked}>
      {before}
      <span className={styles.keyId}>{id}</span>
      {after}
    </bdi>
  );
}

function Actions({ apiKey, start, mayChange }: { apiKey: ApiKey; start: (task: KeyTask) => void; mayChange: boolean }) {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const canChange = mayChange && isChangeable(apiKey);
  return (
    <span className={styles.actions}>
      {mayChange && apiKey.status !== "revoked" && (
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          className={styles.revoke}
          aria-label={t.revokeOne(apiKey.id)}
          title={t.revoke}
          onClick={() => start({ kind: "revoke", apiKey })}
        >
          <span className={styles.revokeText}>{t.revoke}</span>
          <span className={styles.revokeIcon}>
            <Icon name="trash" size={16} />
          </span>
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" className={styles.more} aria-label={t.moreActions(apiKey.id)}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => start({ kind: "details", apiKey })}>{t.details}</Menu.Item>
          <Menu.Item component="a" href={address("keys", {}, apiKey.id)}>
            {t.openPage}
          </Menu.Item>
          <Menu.Item component="a" href={address("usage", { key: apiKey.id })}>
            {t.seeUsage}
          </Menu.Item>
          {canChange && (
            <>
              <Menu.Item onClick={() => start({ kind: "edit", apiKey })}>{a.edit}</Menu.Item>
              <Menu.Item onClick={() => start({ kind: "rotate", apiKey })}>{t.rotate}</Menu.Item>
              <Menu.Item onClick={() => start({ kind: "suspend", apiKey })}>
                {apiKey.status === "suspended" ? t.resume : t.suspend}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}
