// The page of one key: its last 30 days, its terms, its audit log and its actions.
import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { ApiKey, Pricing } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { AuditPanel } from "../audit/AuditSection";
import { Name, Panel, Section as SectionFrame } from "../components/elements";
import { Loaded, useRead } from "../components/loaded";
import { Tiers } from "../plans/PlansSection";
import { address, type Section } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { LastDays } from "../usage/LastDays";
import { EndpointTable, ErrorCodes } from "../usage/Outcomes";
import { StatusBadge } from "./cells";
import { KeyCalls } from "./KeyCalls";
import { KeyFactList } from "./KeyFactList";
import styles from "./KeyPage.module.css";
import { type KeyTask, KeyTaskDialog, useChanges } from "./KeyTaskDialog";
import { keyTexts } from "./texts";

export function KeyPage({ id }: { id: string }) {
  const t = useText(keyTexts);
  const mayChange = useHasRole("operator");
  const [task, setTask] = useState<KeyTask | null>(null);
  const key = useRead<ApiKey>(`/api-keys/${encodeURIComponent(id)}`);
  return (
    <ItemPage section="keys" title={t.title} of={key}>
      {(data) => (
        <>
          <KeyContent apiKey={data} mayChange={mayChange} start={setTask} />
          {task && <KeyTaskDialog task={task} start={setTask} />}
        </>
      )}
    </ItemPage>
  );
}

interface ItemPageProps<T> {
  section: Section;
  /** That of the section. */
  title: string;
  of: UseQueryResult<T>;
  children: (item: T) => ReactNode;
}

/** The page of one item of a section, with the way back. */
export function ItemPage<T>({ section, title, of, children }: ItemPageProps<T>) {
  useEffect(() => {
    scrollTo(0, 0);
    document.getElementById("content")?.focus({ preventScroll: true });
  }, []);
  return (
    <div>
      <a className={styles.back} href={address(section)}>
        <Icon name="left" size={16} />
        {title}
      </a>
      <Loaded of={of}>{children}</Loaded>
    </div>
  );
}

interface KeyContentProps {
  apiKey: ApiKey;
  mayChange: boolean;
  start: (task: KeyTask) => void;
}

function KeyContent({ apiKey, mayChange, start }: KeyContentProps) {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const f = useFormats();
  const terms = useTerms()(apiKey.pricing);
  return (
    <SectionFrame
      title={apiKey.label}
      intro={
        <>
          <a href={address("partners", {}, apiKey.partner.id)}>
            <Name text={apiKey.partner.name} />
          </a>{" "}
          <StatusBadge apiKey={apiKey} /> <code>{apiKey.masked}</code> {t.lastUse}{" "}
          {apiKey.last_used_at === null ? a.never.toLowerCase() : f.instant(apiKey.last_used_at)}
        </>
      }
      actions={<Actions apiKey={apiKey} mayChange={mayChange} start={start} />}
    >
      <LastDays of={{ key_id: apiKey.id }}>
        {(report) => (
          <>
            <EndpointTable report={report} />
            <ErrorCodes report={report} />
          </>
        )}
      </LastDays>
      <Panel title={t.terms}>
        <KeyFactList apiKey={apiKey} more={terms} />
      </Panel>
      <KeyCalls id={apiKey.id} />
      {mayChange && <AuditPanel subject={apiKey.id} />}
    </SectionFrame>
  );
}

function Actions({ apiKey, mayChange, start }: KeyContentProps) {
  const t = useText(keyTexts);
  return (
    <>
      <Button component="a" variant="default" href={address("usage", { key: apiKey.id })}>
        {t.seeUsage}
      </Button>
      {useChanges(apiKey, mayChange).map(([name, task]) => (
        <Button
          key={task.kind}
          variant="default"
          className={task.kind === "revoke" ? styles.revoke : undefined}
          onClick={() => start(task)}
        >
          {name}
        </Button>
      ))}
    </>
  );
}

function useTerms(): (pricing: Pricing | null) => readonly [string, ReactNode][] {
  const t = useText(keyTexts);
  const f = useFormats();
  return (pricing) => {
    if (pricing === null) return [];
    const since = pricing.effective_from;
    return [
      [t.included, f.number(pricing.included_units)],
      [t.tiers, <Tiers key="tiers" pricing={pricing} />],
      [t.vat, f.percent(Number(pricing.vat_rate))],
      ...(since === null ? [] : [[t.since, f.date(since)] satisfies [string, ReactNode]]),
    ];
  };
}
