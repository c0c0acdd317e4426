// The last calls of a key, with the request ids that a partner may quote.
import type { KeyCall, ListPage } from "../../api/types";
import { CopyableText } from "../../shell/CopyButton";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import type { Column } from "../components/DataTable";
import { Panel, Small } from "../components/elements";
import { LoadedTable, useRead } from "../components/loaded";
import { Code } from "../usage/Outcomes";
import { keyTexts } from "./texts";

const FIRST_ERROR = 400;

export function KeyCalls({ id }: { id: string }) {
  const t = useText(keyTexts);
  const calls = useRead<Pick<ListPage<KeyCall>, "items">>(`/api-keys/${encodeURIComponent(id)}/calls`);
  const columns = useColumns();
  return (
    <Panel title={t.calls50}>
      <LoadedTable
        of={calls}
        empty={<p>{t.noKeptCalls}</p>}
        caption={t.calls50}
        columns={columns}
        rowId={rowId}
        isCompact
      />
      <Small>{t.callsNote}</Small>
    </Panel>
  );
}

function rowId(call: KeyCall): string {
  return `${call.occurred_at} ${call.request_id}`;
}

function useColumns(): Column<KeyCall>[] {
  const t = useText(keyTexts);
  const f = useFormats();
  return [
    { id: "date", header: t.at, cell: (each) => f.second(each.occurred_at) },
    { id: "status", header: t.status, cell: (each) => each.status, isNumber: true },
    { id: "code", header: t.code, cell: (each) => (each.status < FIRST_ERROR ? "" : <Code {...each} />) },
    { id: "endpoint", header: t.endpoint, cell: (each) => <code>{each.endpoint}</code> },
    {
      id: "request",
      header: t.requestId,
      cell: (each) => (each.request_id ? <CopyableText text={each.request_id} label={t.copyRequestId} /> : "–"),
    },
    {
      id: "units",
      header: t.unitCount,
      cell: (each) => (each.units === null ? t.unitsOfLines : f.number(each.units)),
      isNumber: true,
    },
    { id: "latency", header: t.latency, cell: (each) => f.milliseconds(each.latency_ms), isNumber: true },
    {
      id: "tokens",
      header: t.tokenCount,
      cell: (each) => f.number(each.input_tokens + each.output_tokens),
      isNumber: true,
    },
  ];
}
