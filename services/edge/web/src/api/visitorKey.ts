import { useMutation } from "@tanstack/react-query";
import { keepKey, keptKey, setApiKey, type VisitorKey } from "../shell/apiKey";
import { ApiError, request } from "./client";

/** Has the pages use the test key of this browser. It makes one if there is none, or the service refuses it. */
export function useVisitorKey() {
  return useMutation({ mutationFn: visitorKey, onSuccess: ({ api_key }) => setApiKey(api_key) });
}

async function visitorKey(): Promise<VisitorKey> {
  const kept = keptKey();
  if (kept !== null && (await isAccepted(kept.api_key))) return kept;
  const made = await request<VisitorKey>("/api/v1/visitor-keys", { method: "POST" });
  keepKey(made);
  return made;
}

async function isAccepted(key: string): Promise<boolean> {
  try {
    await request("/api/v1/usage", { headers: { "x-api-key": key } });
    return true;
  } catch (error) {
    return error instanceof ApiError && error.isTemporary;
  }
}
