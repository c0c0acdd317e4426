// The dialog of a task with a key.
import type { ApiKey, IssuedKey } from "../../api/types";
import { isChangeable } from "./cells";
import { KeyDetails } from "./KeyDetails";
import { RevokeDialog, RotateDialog, SecretDialog, SuspendDialog } from "./KeyDialogs";
import { EditKeyForm, NewKeyForm } from "./KeyForm";

export type KeyTask =
  | { kind: "create"; partner?: string }
  | { kind: "secret"; issued: IssuedKey }
  | { kind: "details" | "edit" | "rotate" | "suspend" | "revoke"; apiKey: ApiKey };

export function KeyTaskDialog({
  task,
  mayChange,
  start,
}: {
  task: KeyTask;
  mayChange: boolean;
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
    case "details": {
      const edit = () => start({ kind: "edit", apiKey: task.apiKey });
      const canEdit = mayChange && isChangeable(task.apiKey);
      return <KeyDetails apiKey={task.apiKey} onClose={close} onEdit={canEdit ? edit : null} />;
    }
  }
}
