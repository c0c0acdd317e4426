import { useMutation } from "@tanstack/react-query";
import { setApiKey } from "../shell/apiKey";
import { request } from "./client";

interface VisitorKey {
  api_key: string;
  expires_at: string;
}

/** Makes a test key for a visitor without an account. The pages use it until the tab is closed. */
export function useVisitorKey() {
  return useMutation({
    mutationFn: () => request<VisitorKey>("/api/v1/visitor-keys", { method: "POST" }),
    onSuccess: ({ api_key, expires_at }) => setApiKey(api_key, expires_at),
  });
}
