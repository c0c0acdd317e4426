// What can be done with a key, and the dialog of each task.
import type { ApiKey, IssuedKey } from "../../api/types";
import { useText } from "../../shell/language";
import { adminTexts } from "../texts";
import { RevokeDialog, RotateDialog, SecretDialog, SuspendDialog } from "./KeyDialogs";
import { EditKeyForm, NewKeyForm } from "./KeyForm";
import { keyTexts } from "./texts";

export type KeyTask =
  | { kind: "create"; partner?: string }
  | { kind: "secret"; issued: IssuedKey }
  | { kind: "edit" | "rotate" | "suspend" | "revoke"; apiKey: ApiKey };

/** The changes that an admin may make to the key now, each with its name. */
export function useChanges(apiKey: ApiKey, mayChange: boolean): readonly [string, KeyTask][] {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const { status } = apiKey;
  if (!mayChange || status === "revoked") return [];
  const revoke: [string, KeyTask] = [t.revoke, { kind: "revoke", apiKey }];
  if (status === "expired") return [revoke];
  return [
    [a.edit, { kind: "edit", apiKey }],
    [t.rotate, { kind: "rotate", apiKey }],
    [status === "suspended" ? t.resume : t.suspend, { kind: "suspend", apiKey }],
    revoke,
  ];
}

export function KeyTaskDialog({
  task,
  start,
}: {
  task: KeyTask;
  /** Starts another task, or ends this one. */
  start: (task: KeyTask | null) => void;
}) {
  const close = () => start(null);
  const show = (issued: IssuedKey) => start({ kind: "secret", issued });
  switch (task.kind) {
    case "create":
      return <NewKeyForm partner={task.partner} onCreated={show} onClose={close} />;
    case "secret":
      return <SecretDialog issued={task.issued} onClose={close} />;
    case "edit":
      return <EditKeyForm apiKey={task.apiKey} onClose={close} />;
    case "rotate":
      return <RotateDialog apiKey={task.apiKey} onRotated={show} onClose={close} />;
    case "suspend":
      return <SuspendDialog apiKey={task.apiKey} onClose={close} />;
    case "revoke":
      return <RevokeDialog apiKey={task.apiKey} onClose={close} />;
  }
}
