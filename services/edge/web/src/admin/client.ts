// Client of the admin routes. It sends the session's CSRF token. If the session has ended, it asks for a new sign-in
// and then retries the request, so that no change is lost.
import { ApiError, type RequestOptions, request, send } from "../api/client";
import type { InvitedAdmin, Session, SetupState, SignedIn, SingleSignOn } from "../api/types";

const API = "/api/v1/admin";
const CSRF_HEADER = "x-csrf-token";
export const SLOW_MS = 30_000; // password hashing is slow and queued

let csrfToken: string | null = null;
let signInAgain: (() => Promise<void>) | null = null;

/** Sets the function that asks for a new sign-in when the session has expired. It resolves after the sign-in. */
export function onSessionExpired(handler: (() => Promise<void>) | null): void {
  signInAgain = handler;
}

export async function readSession(): Promise<Session> {
  const session = await request<Session>(`${API}/session`);
  csrfToken = session.csrf_token;
  return session;
}

/** `totp` is the one-time code, for an account with a second factor. */
export async function signIn(email: string, password: string, totp?: string): Promise<void> {
  await request(`${API}/session`, {
    method: "POST",
    body: { email, password, ...(totp === undefined ? {} : { totp }) },
    timeoutMs: SLOW_MS,
  });
}

export async function signOut(): Promise<void> {
  await request(`${API}/session`, { method: "DELETE", headers: csrf() });
  csrfToken = null;
}

/** Goes to the identity provider, which sends this tab back. The token stays in the tab, which alone can complete. */
export async function beginSingleSignOn(): Promise<void> {
  const begun = await request<SingleSignOn>(`${API}/session/single-sign-on`, { method: "POST", timeoutMs: SLOW_MS });
  sessionStorage.setItem("browser_token", begun.browser_token);
  location.assign(begun.authorization_url);
}

/** Completes the sign-in if the provider sent the tab back. */
export async function completeSingleSignOn(): Promise<void> {
  const returned = new URLSearchParams(location.search);
  if (!returned.has("state")) return;
  history.replaceState(null, "", location.pathname);
  const token = sessionStorage.getItem("browser_token") ?? undefined;
  const body = { code: returned.get("code") ?? undefined, state: returned.get("state"), browser_token: token };
  await request(`${API}/session/single-sign-on/complete`, { method: "POST", body, timeoutMs: SLOW_MS });
}

export function readSetup(): Promise<SetupState> {
  return request<SetupState>(`${API}/setup`);
}

export async function completeSetup(token: string, email: string, password: string): Promise<void> {
  await request(`${API}/setup`, { method: "POST", body: { token, email, password }, timeoutMs: SLOW_MS });
}

/** The token goes in a body, so that no log has it. */
export function readInvitation(token: string, signal: AbortSignal): Promise<InvitedAdmin> {
  return request<InvitedAdmin>(`${API}/invitation`, { method: "POST", body: { token }, signal });
}

export async function acceptInvitation(token: string, password: string): Promise<void> {
  const signedIn = await request<SignedIn>(`${API}/invitation/accept`, {
    method: "POST",
    body: { token, password },
    timeoutMs: SLOW_MS,
  });
  csrfToken = signedIn.csrf_token;
}

/** A route under /admin, such as "/api-keys". Raises ApiError, or the signal's reason when it was aborted. */
export function call<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return withSession((headers) => request<T>(API + path, { ...options, headers: { ...options.headers, ...headers } }));
}

/** Like `call`, for an answer that is not JSON. */
export function download(path: string, accept: string): Promise<Response> {
  return withSession((headers) => send(API + path, { headers: { ...headers, accept } }));
}

/** Omits members that are undefined, null or empty. */
export function query(members: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

async function withSession<T>(attempt: (headers: Record<string, string>) => Promise<T>): Promise<T> {
  try {
    return await attempt(csrf());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "csrf_failed") {
      await readSession(); // after a sign-in in another tab, the cookie is new and the token is old
    } else if (error.code === "sign_in_required" && signInAgain !== null) {
      await signInAgain();
    } else {
      throw error;
    }
    return attempt(csrf());
  }
}

function csrf(): Record<string, string> {
  return csrfToken === null ? {} : { [CSRF_HEADER]: csrfToken };
}
