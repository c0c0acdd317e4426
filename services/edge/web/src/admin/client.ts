// The admin routes as this page calls them: with the session's CSRF token, and with a sign-in in between where the
// session is over, so that a change that somebody was about to save is saved then.
import { ApiError, type RequestOptions, request, send } from "../shell/api";
import type { Session, SignedIn } from "./types";

const API = "/api/v1/admin";
const CSRF_HEADER = "x-csrf-token";
export const SLOW_MS = 30_000; // a password takes a moment to check, and others may be waiting before it

let csrfToken: string | null = null;
let askToSignIn: (() => Promise<void>) | null = null;

/** Where a session ends in the middle of things, `ask` is called: it resolves once somebody has signed in again. */
export function onSessionOver(ask: (() => Promise<void>) | null): void {
  askToSignIn = ask;
}

export async function readSession(): Promise<Session> {
  const session = await request<Session>(`${API}/session`);
  csrfToken = session.csrf_token;
  return session;
}

/** `totp` is the one-time code, for an account that has a second factor. */
export async function signIn(email: string, password: string, totp?: string): Promise<SignedIn> {
  const signedIn = await request<SignedIn>(`${API}/session`, {
    method: "POST",
    body: { email, password, ...(totp === undefined ? {} : { totp }) },
    timeoutMs: SLOW_MS,
  });
  csrfToken = signedIn.csrf_token;
  return signedIn;
}

export async function signOut(): Promise<void> {
  await request(`${API}/session`, { method: "DELETE", headers: csrf() });
  csrfToken = null;
}

export async function isSetupOpen(): Promise<boolean> {
  return (await request<{ is_open: boolean }>(`${API}/setup`)).is_open;
}

export async function completeSetup(token: string, email: string, password: string): Promise<void> {
  await request(`${API}/setup`, { method: "POST", body: { token, email, password }, timeoutMs: SLOW_MS });
}

/** A route under /admin, such as "/api-keys". Raises ApiError, or the signal's reason when it was aborted. */
export function call<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return inSession((headers) => request<T>(API + path, { ...options, headers: { ...options.headers, ...headers } }));
}

/** As `call`, for an answer that is not JSON. */
export function download(path: string, accept: string): Promise<Response> {
  return inSession((headers) => send(API + path, { headers: { ...headers, accept } }));
}

/** Members that are undefined, null or empty are left out. */
export function query(members: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

async function inSession<T>(ask: (headers: Record<string, string>) => Promise<T>): Promise<T> {
  try {
    return await ask(csrf());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "csrf_failed") {
      await readSession(); // somebody signed in anew in another tab: the cookie is theirs, the token is the old one
    } else if (error.code === "sign_in_required" && askToSignIn !== null) {
      await askToSignIn();
    } else {
      throw error;
    }
    return ask(csrf());
  }
}

function csrf(): Record<string, string> {
  return csrfToken === null ? {} : { [CSRF_HEADER]: csrfToken };
}
