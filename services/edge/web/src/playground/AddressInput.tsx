// The address on one line, with suggestions while it is typed: a combobox of WAI-ARIA.
import { Combobox, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../api/client";
import type { Address, SuggestAnswer } from "../api/types";
import { useText } from "../shell/language";
import { texts } from "./texts";

const PAUSE_MS = 200;
const MIN_LENGTH = 3;
const NOTHING: readonly Address[] = [];

export function AddressInput({
  label,
  placeholder,
  value,
  onChange,
  onPick,
  apiKey,
  className,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  /** Called with the suggestion that is chosen. */
  onPick?: (label: string) => void;
  apiKey: string;
  className: string | undefined;
}) {
  const t = useText(texts);
  const [typed, setTyped] = useState("");
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const suggestions = useSuggestions(typed, apiKey);
  const close = () => {
    setTyped("");
    combobox.closeDropdown();
  };
  const pick = (picked: string) => {
    onChange(picked);
    close();
    onPick?.(picked);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={pick}>
      <Combobox.Target withExpandedAttribute>
        <TextInput
          className={className}
          label={label}
          placeholder={placeholder}
          value={value}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            onChange(event.currentTarget.value);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={({ key }) => key === "Enter" && combobox.getSelectedOptionIndex() === -1 && close()}
          aria-autocomplete="list"
          autoComplete="off"
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={suggestions.length === 0}>
        <Combobox.Options aria-label={t.suggestions}>
          {suggestions.map(({ id, label: suggested }) => (
            <Combobox.Option key={id} value={suggested ?? ""}>
              {suggested}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** Those of the last text that stood still. A newer text aborts the request of an older one. */
function useSuggestions(typed: string, apiKey: string): readonly Address[] {
  const [text] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const { data } = useQuery({
    queryKey: ["suggestions", text, apiKey],
    queryFn: ({ signal }) =>
      request<SuggestAnswer>(`/api/v1/addresses/suggest?${new URLSearchParams({ q: text })}`, {
        headers: { "x-api-key": apiKey },
        signal,
      }),
    enabled: apiKey !== "" && text.length >= MIN_LENGTH && typed !== "",
    retry: false,
    gcTime: 0,
  });
  return data?.suggestions ?? NOTHING;
}
