// Starts a page: styles, theme, language and the query client.
import "@mantine/core/styles.css";
import "./shell.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../api/client";
import { LanguageProvider } from "./language";
import { CrashGuard } from "./states";
import { adoptTheme, theme } from "./theme";

const RETRY_EVERY_MS = 4000;

const scheme = localStorageColorSchemeManager({ key: "landpartner.appearance" });
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Retries temporary errors until the service answers. Other errors are final.
      retry: (count, error) => count < 2 && error instanceof ApiError && error.isTemporary,
      retryDelay: (count) => 400 * 2 ** count,
      refetchInterval: (query) =>
        query.state.error instanceof ApiError && query.state.error.isTemporary ? RETRY_EVERY_MS : false,
      refetchOnWindowFocus: false,
      networkMode: "always", // the service may run on this machine, without a network
      staleTime: 10_000,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

export function startPage(content: ReactNode): void {
  const root = document.getElementById("page");
  if (root === null) throw new Error("the page has no place for its content");
  adoptTheme();
  createRoot(root).render(
    <MantineProvider
      theme={theme}
      colorSchemeManager={scheme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <LanguageProvider>
        <QueryClientProvider client={queries}>
          <CrashGuard>{content}</CrashGuard>
        </QueryClientProvider>
      </LanguageProvider>
    </MantineProvider>,
  );
}
