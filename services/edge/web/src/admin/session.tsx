// The session: the signed-in admin, or the sign-in form.
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../api/client";
import type { Admin, Role } from "../api/types";
import { isSetupOpen, onSessionOver, readSession, signOut } from "./client";

export type SessionState =
  | { kind: "unknown"; error: unknown }
  | { kind: "setup" }
  | { kind: "signed_out" }
  | { kind: "signed_in"; admin: Admin; mustEnrol: boolean };

interface SessionContextValue {
  state: SessionState;
  /** Whether the session ended during use. A dialog then asks for the password. */
  isOver: boolean;
  /** Reloads the session, after a sign-in or an outage. */
  refresh: () => Promise<void>;
  leave: () => Promise<void>;
}

const SessionContext = createContext<SessionContextValue | null>(null);
const RETRY_MS = 4000;

interface Waiting {
  resolve: () => void;
  reject: (reason: unknown) => void;
  promise: Promise<void>;
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState<SessionState>({ kind: "unknown", error: null });
  const [isOver, setOver] = useState(false);
  const waiting = useRef<Waiting | null>(null);

  const refresh = useCallback(async () => {
    try {
      setState(await findOut());
    } catch (error) {
      setState((before) => (before.kind === "signed_in" ? before : { kind: "unknown", error }));
      return;
    }
    setOver(false);
    waiting.current?.resolve();
    waiting.current = null;
  }, []);

  useEffect(() => void refresh(), [refresh]);

  useEffect(() => {
    if (state.kind !== "unknown" || state.error === null) return;
    const timer = setTimeout(refresh, RETRY_MS);
    return () => clearTimeout(timer);
  }, [state, refresh]);

  useEffect(() => {
    onSessionOver(() => {
      waiting.current ??= newWaiting();
      setOver(true);
      return waiting.current.promise;
    });
    return () => onSessionOver(null);
  }, []);

  const leave = useCallback(async () => {
    try {
      await signOut();
    } catch (error) {
      // An expired session is already ended. After any other error, the session may still be active.
      if (!(error instanceof ApiError && error.code === "sign_in_required")) throw error;
    }
    waiting.current?.reject(new ApiError("refused"));
    waiting.current = null;
    setOver(false);
    queries.clear();
    setState({ kind: "signed_out" });
  }, [queries]);

  const value = useMemo(() => ({ state, isOver, refresh, leave }), [state, isOver, refresh, leave]);
  return <SessionContext value={value}>{children}</SessionContext>;
}

export function useSession(): SessionContextValue {
  const value = useContext(SessionContext);
  if (value === null) throw new Error("there is no SessionProvider above");
  return value;
}

const RANKS: Record<Role, number> = { viewer: 0, operator: 1, owner: 2 };

/** Whether the admin has this role. keys decides; the page only hides what keys would refuse. */
export function useMay(role: Role): boolean {
  const { state } = useSession();
  return state.kind === "signed_in" && RANKS[state.admin.role] >= RANKS[role];
}

async function findOut(): Promise<SessionState> {
  if (await isSetupOpen()) return { kind: "setup" };
  try {
    const { admin, totp_required: isRequired } = await readSession();
    if (admin === null) return { kind: "signed_out" };
    return { kind: "signed_in", admin, mustEnrol: isRequired && !admin.has_totp };
  } catch (error) {
    if (error instanceof ApiError && error.code === "sign_in_required") return { kind: "signed_out" };
    throw error;
  }
}

function newWaiting(): Waiting {
  let resolve: Waiting["resolve"] = () => {};
  let reject: Waiting["reject"] = () => {};
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { resolve, reject, promise };
}
