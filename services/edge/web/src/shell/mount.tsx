// Renders a page with its styles, theme, language and query client.
import "./mantine.css";
import "./shell.css";
import "./print.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../api/client";
import { LanguageProvider } from "./language";
import { CrashedPage, ErrorBoundary } from "./states";
import { adoptTheme, theme } from "./theme";

const REFETCH_MS = 4000;

const scheme = localStorageColorSchemeManager({ key: "landpartner.appearance" });
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Retries temporary errors until the service answers. Other errors are final.
      retry: (count, error) => count < 2 && error instanceof ApiError && error.isTemporary,
      retryDelay: (count) => 400 * 2 ** count,
      refetchInterval: (query) =>
        query.state.error instanceof ApiError && query.state.error.isTemporary ? REFETCH_MS : false,
      refetchOnWindowFocus: false,
      networkMode: "always", // the service may run on this machine, without a network
      staleTime: 10_000,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

export function mountPage(content: ReactNode): void {
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
          <ErrorBoundary fallback={(error) => <CrashedPage error={error} />}>{content}</ErrorBoundary>
        </QueryClientProvider>
      </LanguageProvider>
    </MantineProvider>,
  );
}
