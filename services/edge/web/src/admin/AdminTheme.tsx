// Defaults of the components that only administration has.
import { MantineThemeProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { useLanguage } from "../shell/language";

const COMPONENTS = {
  // Their scroll lock writes a style element; dialogs.css does it instead.
  Modal: { defaultProps: { lockScroll: false, centered: true } },
  Drawer: { defaultProps: { lockScroll: false } },
  // The list itself scrolls (dialogs.css): a scroll area around it would be one more keyboard stop.
  Select: { defaultProps: { withScrollArea: false } },
  Autocomplete: { defaultProps: { withScrollArea: false } },
  // A menu may contain nothing but its entries: the first one gets the focus.
  Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
};

export function AdminTheme({ children }: { children: ReactNode }) {
  const { language } = useLanguage();
  /** Fields for numbers show the decimal sign of the language, and accept both. */
  const defaultProps = { decimalSeparator: language === "fr" ? "," : ".", allowedDecimalSeparators: [".", ","] };
  return (
    <MantineThemeProvider theme={{ components: { ...COMPONENTS, NumberInput: { defaultProps } } }}>
      {children}
    </MantineThemeProvider>
  );
}
