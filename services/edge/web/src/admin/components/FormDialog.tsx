// A form in a dialog. It shows the API's violations at their fields and asks before it discards input.
import { Button, Drawer, Modal } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useLayoutEffect, useState } from "react";
import { ApiError } from "../../api/client";
import type { Violation } from "../../api/types";
import { CopyButton } from "../../shell/CopyButton";
import { useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import { shellTexts } from "../../shell/texts";
import { call } from "../client";
import { adminTexts } from "../texts";
import { RequestError } from "./elements";
import styles from "./FormDialog.module.css";

// biome-ignore lint/suspicious/noExplicitAny: the library's own parameter for "any form"
type AnyForm = UseFormReturnType<any>;

export interface FormDialogProps {
  title: string;
  submitLabel: string;
  form: AnyForm;
  /**
   * Sends the form. Its error is shown at the fields that `errors[].pointer` names, or above the form. Afterwards the
   * page reads its data again and the dialog closes, unless the result is "stay".
   */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  /** A long form is a drawer with the full height. */
  isLong?: boolean;
  isDangerous?: boolean;
  /** The meaning of a conflict in this form. */
  conflict?: string;
  canSubmit?: boolean;
  children: ReactNode;
}

export function FormDialog({
  title,
  submitLabel,
  form,
  onSubmit,
  onClose,
  isLong = false,
  isDangerous = false,
  conflict,
  canSubmit = true,
  children,
}: FormDialogProps) {
  const t = useText(adminTexts);
  const s = useText(shellTexts);
  const queries = useQueryClient();
  useFocusReturn();
  const [isSending, setSending] = useState(false);
  const [isDiscarding, setDiscarding] = useState(false);
  const [failure, setFailure] = useState<{ error: unknown; violations: Violation[] } | null>(null);

  const submit = async () => {
    setSending(true);
    setFailure(null);
    try {
      const result = await onSubmit();
      void queries.invalidateQueries();
      if (result !== "stay") onClose();
    } catch (error) {
      const [atFields, others] = groupViolations(form, error);
      form.setErrors(atFields);
      setFailure(Object.keys(atFields).length > 0 && others.length === 0 ? null : { error, violations: others });
      focusFirstInvalid();
    } finally {
      setSending(false);
    }
  };
  const close = () => {
    if (isSending) return;
    if (form.isDirty()) setDiscarding(true);
    else onClose();
  };
  const Frame = isLong ? Drawer : Modal;
  return (
    <>
      <Frame
        opened
        onClose={close}
        title={title}
        closeButtonProps={{ "aria-label": s.close }}
        {...(isLong ? { position: "right" as const, size: "40rem" } : {})}
      >
        <form
          className={styles.form}
          noValidate
          onSubmit={form.onSubmit(submit, () => focusFirstInvalid())}
          aria-label={title}
        >
          {failure && <RequestError error={failure.error} violations={failure.violations} conflict={conflict} />}
          {children}
          <div className={styles.buttons}>
            <Button variant="default" onClick={close} disabled={isSending}>
              {s.cancel}
            </Button>
            <Button type="submit" loading={isSending} disabled={!canSubmit} color={isDangerous ? "red.9" : "field"}>
              {submitLabel}
            </Button>
          </div>
        </form>
      </Frame>
      {/* Rendered only when open: a closed dialog would react to the same Escape that opens it. */}
      {isDiscarding && (
        <Modal
          opened
          onClose={() => setDiscarding(false)}
          title={t.discard}
          size="sm"
          zIndex={250}
          closeButtonProps={{ "aria-label": s.close }}
        >
          <p className={styles.question}>{t.discardDetail}</p>
          <div className={styles.buttons}>
            <Button variant="default" onClick={() => setDiscarding(false)} data-autofocus>
              {t.discardNo}
            </Button>
            <Button color="red.9" onClick={onClose}>
              {t.discardYes}
            </Button>
          </div>
        </Modal>
      )}
    </>
  );
}

/** A group of fields under a heading. */
export function FieldGroup({ title, note, children }: { title: string; note?: string; children?: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{title}</legend>
      {note && <p className={styles.note}>{note}</p>}
      {children && <div className={styles.fields}>{children}</div>}
    </fieldset>
  );
}

/** The violations by field, and those without a matching field. */
function groupViolations(form: AnyForm, error: unknown): [Record<string, string>, Violation[]] {
  const violations = (error instanceof ApiError && error.problem?.errors) || [];
  const atFields: Record<string, string> = {};
  const others: Violation[] = [];
  for (const violation of violations) {
    const field = fieldOf(form.getValues(), violation.pointer);
    if (field === null) others.push(violation);
    else atFields[field] = sentence(violation.detail);
  }
  return [atFields, others];
}

/** "this instant is past" becomes "This instant is past." */
function sentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${detail.endsWith(".") ? "" : "."}`;
}

/** "/quota/per_minute" is the field `quota.per_minute`. An item of a list belongs to the field of the list. */
function fieldOf(values: unknown, pointer: string): string | null {
  const path: string[] = [];
  let at: unknown = values;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof at !== "object" || at === null || !(part in at)) break;
    const inside = (at as Record<string, unknown>)[part];
    if (Array.isArray(at) && typeof inside !== "object") break;
    path.push(part);
    at = inside;
  }
  return path.length > 0 ? path.join(".") : null;
}

function focusFirstInvalid(): void {
  // after React has rendered the violations
  setTimeout(() => document.querySelector<HTMLElement>("[role=dialog] [aria-invalid=true]")?.focus(), 50);
}

/** Returns the focus to the previous element when a component such as a dialog unmounts. */
export function useFocusReturn(): void {
  const [initialOpener] = useState(() => openerOf(document.activeElement));
  useLayoutEffect(() => {
    // A dialog that replaces another one uses the element to which that one has just returned the focus.
    const opener = initialOpener?.isConnected ? initialOpener : document.activeElement;
    return () => {
      const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
      (isThere ? opener : document.getElementById("content"))?.focus();
    };
  }, [initialOpener]);
}

/** The button of a menu, since the menu item will no longer exist; otherwise the element itself. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return menu ? document.getElementById(menu) : element;
}

/** A question before an action without fields. */
export function ConfirmDialog({
  title,
  submitLabel,
  send,
  onClose,
  isDangerous = true,
  children,
}: Pick<FormDialogProps, "title" | "submitLabel" | "onClose" | "isDangerous" | "children"> & {
  /** The route and the method of the action. */
  send: [path: string, method: "POST" | "PATCH" | "DELETE", body?: object];
}) {
  const form = useForm({ initialValues: {} });
  const [path, method, body] = send;
  const act = () => call<unknown>(path, { method, body });
  return <FormDialog {...{ title, submitLabel, form, onClose, isDangerous, children }} onSubmit={act} />;
}

/** A secret that is shown once. Escape closes it after a copy only. */
export function OnceDialog({
  title,
  warning,
  secret,
  copyLabel,
  testId,
  onClose,
  children,
}: {
  title: string;
  warning: string;
  secret: string;
  copyLabel?: string;
  testId?: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const s = useText(shellTexts);
  useFocusReturn();
  const [isCopied, setCopied] = useState(false);
  const label = copyLabel === undefined ? {} : { label: copyLabel };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={isCopied}
      closeButtonProps={{ "aria-label": s.close }}
    >
      <div className={styles.once}>
        <Notice tone="warning">{warning}</Notice>
        <code data-testid={testId}>{secret}</code>
        <CopyButton text={secret} {...label} variant="filled" size="sm" onCopied={() => setCopied(true)} />
        {children}
      </div>
    </Modal>
  );
}
