// Fields that several forms share, and the rules for their values.
import { PasswordInput, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDebouncedValue } from "@mantine/hooks";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ComponentProps, useEffect, useState } from "react";
import { type ListPage, type Partner, ROLES, type Role } from "../../api/types";
import { Icon } from "../../shell/icons";
import { useLanguage, useText } from "../../shell/language";
import { query } from "../client";
import { useRoute } from "../route";
import { adminTexts } from "../texts";
import { FILLS_WIDTH } from "./elements";
import { useRead } from "./loaded";

const MIN_PASSWORD = 12;

/** Each rule returns the error of a value, or null. */
export function useFieldRules() {
  const t = useText(adminTexts);
  return {
    passwordNote: t.passwordShort,
    required: (value: string) => (value.trim() ? null : t.required),
    /** A password may consist of spaces. */
    password: (value: string) => (value ? null : t.required),
    email: (value: string) => (/^[^@\s]+@[^@\s]+$/.test(value.trim()) ? null : t.emailWrong),
    newPassword: (value: string) => (value.length >= MIN_PASSWORD ? null : t.passwordShort),
    repeated: (value: string, first: string) => (value === first ? null : t.passwordsDiffer),
  };
}

/** Searches by text or date after a pause in typing. Another value from outside, such as of a link, replaces what was typed. */
export function SearchField({
  value,
  onSearch,
  type = "search",
  ...props
}: { value: string; onSearch: (text: string) => void } & ComponentProps<typeof TextInput>) {
  const { search: label } = useText(adminTexts);
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped((before) => (before.trim() === value ? before : value)), [value]);
  const search = useDebouncedCallback((text: string) => onSearch(text.trim()), 300);
  return (
    <TextInput
      type={type}
      {...(type === "search" && { className: FILLS_WIDTH, label, leftSection: <Icon name="search" /> })}
      {...props}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}

/** The order of a list, which its address has. */
export function SortField({ sorts, sort }: { sorts: Readonly<Record<string, string>>; sort: string }) {
  const { sortBy } = useText(adminTexts);
  const { setParams } = useRoute();
  return (
    <Select
      label={sortBy}
      data={Object.entries(sorts).map(([value, label]) => ({ value, label }))}
      value={sort in sorts ? sort : null}
      allowDeselect={false}
      onChange={(chosen) => setParams({ sort: chosen })}
    />
  );
}

export function PasswordField(props: ComponentProps<typeof PasswordInput>) {
  const t = useText(adminTexts);
  return <PasswordInput {...props} visibilityToggleButtonProps={{ "aria-label": t.showPassword, tabIndex: 0 }} />;
}

/** A field for a decimal text, with the decimal sign of the page's language. */
export function DecimalField({ value, ...props }: ComponentProps<typeof TextInput>) {
  const { language } = useLanguage();
  const shown = language === "fr" ? String(value).replace(".", ",") : value;
  return <TextInput inputMode="decimal" {...props} value={shown} />;
}

/** A field for a one-time code. */
export function CodeField(props: ComponentProps<typeof TextInput>) {
  const t = useText(adminTexts);
  return <TextInput label={t.code} inputMode="numeric" autoComplete="one-time-code" maxLength={20} {...props} />;
}

/** Partners whose names match the text. */
export function usePartnersNamed(text: string): UseQueryResult<ListPage<Partner>> {
  return useRead(`/partners${query({ q: text, limit: 20 })}`, { keeps: true });
}

/** Selects one partner or all, with a search by name. */
export function PartnerFilter({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  const t = useText(adminTexts);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  const [searched] = useDebouncedValue(typed, 250);
  const text = chosen && searched === chosen.label ? "" : searched;
  const partners = usePartnersNamed(text);
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

export function RoleSelect(props: Partial<ComponentProps<typeof Select>>) {
  const t = useText(adminTexts);
  return (
    <Select
      label={t.role}
      allowDeselect={false}
      description={t.roleNotes[props.value as Role]}
      data={ROLES.map((role) => ({ value: role, label: t.roles[role] }))}
      {...props}
    />
  );
}
