// Downloads of the shown tables as CSV, in the language of the page.
import { Button, Menu } from "@mantine/core";
import { useState } from "react";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { saveAs } from "../../shell/saveAs";
import { download, query } from "../client";
import { RequestError } from "../components/elements";
import { usageTexts } from "./texts";

export type CsvTable = "keys" | "timeline" | "bills" | "totals" | "accounting" | "audit";

export function CsvMenu({
  filters,
  tables,
  period,
}: {
  filters: Record<string, string | null>;
  tables: readonly CsvTable[];
  /** A part of the names of the files. */
  period: string;
}) {
  const t = useText(usageTexts);
  const [error, setError] = useState<unknown>(null);
  const save = async (table: CsvTable) => {
    setError(null);
    try {
      const own = { accounting: "/bills", audit: "/audit" }[table as string];
      const path = own ? `${own}${query(filters)}` : `/usage${query({ ...filters, table })}`;
      const response = await download(path, "text/csv");
      saveAs(await response.blob(), `${t.csvFiles[table]}-${period}.csv`);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={16} />}>
            {t.csv}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {tables.map((table) => (
            <Menu.Item key={table} onClick={() => void save(table)}>
              {t.csvTables[table]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {error !== null && <RequestError error={error} />}
    </>
  );
}
