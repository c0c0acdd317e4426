// The session: the signed-in admin, or the sign-in form.
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../api/client";
import type { Admin, Role } from "../api/types";
import * as client from "./client";

export type SessionState =
  | { kind: "unknown"; error: unknown }
  | { kind: "setup" }
  | { kind: "signed_out"; error?: unknown }
  | { kind: "signed_in"; admin: Admin; mustEnrol: boolean };

interface SessionContextValue {
  state: SessionState;
  /** Whether the session ended during use. A dialog then asks for the password. */
  isExpired: boolean;
  /** Reloads the session, after a sign-in or an outage. */
  refresh: () => Promise<void>;
  signOut: () => Promise<void>;
}

const SessionContext = createContext<SessionContextValue | null>(null);
const RETRY_MS = 4000;

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState<SessionState>({ kind: "unknown", error: null });
  const [isExpired, setExpired] = useState(false);
  const pendingSignIn = useRef<PromiseWithResolvers<void> | null>(null);
  const signOutCount = useRef(0);

  const refresh = useCallback(async () => {
    const count = signOutCount.current;
    try {
      const loaded = await loadSession();
      if (signOutCount.current !== count) return; // what was loaded may be the session that has ended
      setState(loaded);
    } catch (error) {
      setState((before) => (before.kind === "signed_in" ? before : { kind: "unknown", error }));
      return;
    }
    setExpired(false);
    pendingSignIn.current?.resolve();
    pendingSignIn.current = null;
  }, []);

  useEffect(() => void refresh(), [refresh]);

  useEffect(() => {
    if (state.kind !== "unknown" || state.error === null) return;
    const timer = setTimeout(refresh, RETRY_MS);
    return () => clearTimeout(timer);
  }, [state, refresh]);

  useEffect(() => {
    client.onSessionExpired(() => {
      pendingSignIn.current ??= Promise.withResolvers<void>();
      setExpired(true);
      return pendingSignIn.current.promise;
    });
    return () => client.onSessionExpired(null);
  }, []);

  const signOut = useCallback(async () => {
    try {
      await client.signOut();
    } catch (error) {
      // An expired session is already ended. After any other error, the session may still be active.
      if (!(error instanceof ApiError && error.code === "sign_in_required")) throw error;
    }
    signOutCount.current += 1;
    pendingSignIn.current?.reject(new ApiError("refused"));
    pendingSignIn.current = null;
    setExpired(false);
    queries.clear();
    setState({ kind: "signed_out" });
  }, [queries]);

  const value = useMemo(() => ({ state, isExpired, refresh, signOut }), [state, isExpired, refresh, signOut]);
  return <SessionContext value={value}>{children}</SessionContext>;
}

export function useSession(): SessionContextValue {
  const value = useContext(SessionContext);
  if (value === null) throw new Error("there is no SessionProvider above");
  return value;
}

const RANKS: Record<Role, number> = { viewer: 0, operator: 1, owner: 2 };

/** Whether the admin has this role. keys decides; the page only hides what keys would refuse. */
export function useHasRole(role: Role): boolean {
  const { state } = useSession();
  return state.kind === "signed_in" && RANKS[state.admin.role] >= RANKS[role];
}

async function loadSession(): Promise<SessionState> {
  if ((await client.readSetup()).is_open) return { kind: "setup" };
  const failure = await client.completeSingleSignOn().catch((error: unknown) => error);
  try {
    const { admin, totp_required: isRequired } = await client.readSession();
    if (admin === null) return { kind: "signed_out", error: failure };
    return { kind: "signed_in", admin, mustEnrol: isRequired && !admin.has_totp && !admin.single_sign_on };
  } catch (error) {
    if (error instanceof ApiError && error.code === "sign_in_required") return { kind: "signed_out", error: failure };
    throw error;
  }
}
