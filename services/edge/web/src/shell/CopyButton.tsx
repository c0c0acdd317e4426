import { Button, UnstyledButton } from "@mantine/core";
import { useEffect, useState } from "react";
import styles from "./CopyButton.module.css";
import { Icon } from "./icons";
import { useText } from "./language";
import { shellTexts } from "./texts";

const CONFIRMATION_MS = 2500;

/** Copies a text to the clipboard and confirms it. `label` names the text, also for screen readers. */
export function CopyButton({
  text,
  label,
  variant = "default",
  size = "xs",
  onCopied,
}: {
  text: string;
  label?: string;
  variant?: "default" | "filled" | "subtle";
  size?: "xs" | "sm" | "md";
  onCopied?: () => void;
}) {
  const t = useText(shellTexts);
  const { isCopied, copy } = useCopy(text);
  return (
    <Button
      variant={variant}
      size={size}
      onClick={async () => {
        if (await copy()) onCopied?.();
      }}
      leftSection={<Icon name={isCopied ? "check" : "copy"} size={16} />}
    >
      <span aria-live="polite">{isCopied ? t.copied : (label ?? t.copy)}</span>
    </Button>
  );
}

/** A text of one line that a click copies, for tables. */
export function CopyableText({ text, label }: { text: string; label: string }) {
  const t = useText(shellTexts);
  const { isCopied, copy } = useCopy(text);
  return (
    <UnstyledButton className={styles.text} onClick={copy} title={text} aria-label={`${label} ${text}`}>
      <code>{text}</code>
      <Icon name={isCopied ? "check" : "copy"} size={14} />
      <span className="lp-visually-hidden" aria-live="polite">
        {isCopied ? t.copied : ""}
      </span>
    </UnstyledButton>
  );
}

function useCopy(text: string): { isCopied: boolean; copy: () => Promise<boolean> } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    const isDone = await toClipboard(text);
    if (isDone) setCopied(true);
    return isDone;
  };
  return { isCopied, copy };
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text); // no clipboard API on plain http, except on localhost
  }
}

function copySelected(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "lp-visually-hidden";
  (document.querySelector("[role=dialog]") ?? document.body).append(area); // a dialog keeps the focus inside
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  return isDone;
}
