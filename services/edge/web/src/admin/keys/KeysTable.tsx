// The table of keys: a label is never cut, and keys are cards if the window is too narrow for all columns.
import { ActionIcon, Menu } from "@mantine/core";
import type { ApiKey } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import type { Column } from "../components/DataTable";
import { Name } from "../components/elements";
import { address } from "../route";
import { adminTexts } from "../texts";
import { OneLine, StatusBadge, UsageCell, useKeyFacts } from "./cells";
import styles from "./KeysTable.module.css";
import { type KeyTask, useChanges } from "./KeyTaskDialog";
import { keyTexts } from "./texts";

/** The menu of a key. */
export function useActionColumn(start: (task: KeyTask) => void, mayChange: boolean): Column<ApiKey> {
  const t = useText(keyTexts);
  return {
    id: "actions",
    header: t.action,
    cell: (key) => <Actions apiKey={key} start={start} mayChange={mayChange} />,
  };
}

/** What a table says of a key, for its list and the page of its partner. */
export function useKeyColumns(): Column<ApiKey>[] {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const facts = useKeyFacts();
  return [
    {
      id: "label",
      header: a.label,
      cell: (key) => (
        <a className={styles.label} href={address("keys", {}, key.id)}>
          <bdi>{key.label}</bdi>
        </a>
      ),
      sortBy: "label",
      isTitle: true,
    },
    {
      id: "partner",
      header: a.partner,
      cell: (key) => (
        <span className={styles.partner}>
          <Name text={key.partner.name} />
          {key.partner.status === "disabled" && (
            <span className={styles.disabled} role="img" aria-label={t.partnerDisabled} title={t.partnerDisabled}>
              <Icon name="alert" size={16} />
            </span>
          )}
        </span>
      ),
      sortBy: "partner",
    },
    { id: "id", header: t.id, cell: (key) => key.id, sortBy: "created_at" },
    { id: "status", header: a.status, cell: (key) => <StatusBadge apiKey={key} /> },
    { id: "key", header: t.key, cell: ({ id, masked }) => <bdi title={masked}>{masked.replace(id, "")}</bdi> },
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
  ];
}

function Actions({ apiKey, start, mayChange }: { apiKey: ApiKey; start: (task: KeyTask) => void; mayChange: boolean }) {
  const t = useText(keyTexts);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" className={styles.more} aria-label={t.moreActions(apiKey.id)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={address("usage", { key: apiKey.id })}>
          {t.seeUsage}
        </Menu.Item>
        {useChanges(apiKey, mayChange).map(([name, task]) => (
          <Menu.Item key={task.kind} onClick={() => start(task)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
