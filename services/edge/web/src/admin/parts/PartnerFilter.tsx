import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Listed, Partner } from "../../api/types";
import { useText } from "../../shell/language";
import { call, query } from "../client";
import { adminTexts } from "../texts";

/** Selects one partner or all, with a search by name. */
export function PartnerFilter({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  const t = useText(adminTexts);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  const [searched] = useDebouncedValue(typed, 250);
  const text = chosen && searched === chosen.label ? "" : searched;
  const partners = useQuery({
    queryKey: ["partners", "named", text],
    queryFn: ({ signal }) => call<Listed<Partner>>(`/partners${query({ q: text, limit: 20 })}`, { signal }),
    placeholderData: (before) => before,
  });
  const found = (partners.data?.items ?? []).map((partner) => ({ value: partner.id, label: partner.name }));
  const current = value === null ? null : chosen?.value === value ? chosen : { value, label: value };
  const isListed = current === null || found.some((each) => each.value === current.value);
  return (
    <Select
      label={t.partner}
      placeholder={t.all}
      searchable
      clearable
      data={isListed ? found : [current, ...found]}
      filter={({ options }) => options}
      value={value}
      onSearchChange={setTyped}
      onChange={(id, option) => {
        setChosen(id === null ? null : { value: id, label: option?.label ?? id });
        onChange(id);
      }}
    />
  );
}
