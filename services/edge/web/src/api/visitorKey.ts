import { useMutation } from "@tanstack/react-query";
import { request } from "./client";

interface VisitorKey {
  api_key: string;
  expires_at: string;
}

/** Makes a test key for a visitor without an account. */
export function useVisitorKey(onSuccess: (key: VisitorKey) => void = () => undefined) {
  return useMutation({
    mutationFn: () => request<VisitorKey>("/api/v1/visitor-keys", { method: "POST" }),
    onSuccess,
  });
}
