// A new token, shown once.
import { Modal } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "../../shell/CopyButton";
import { useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import { shellTexts } from "../../shell/texts";
import { useFocusReturn } from "../../shell/useFocusReturn";
import styles from "./TeamSection.module.css";
import { teamTexts } from "./texts";

export function TokenDialog({ shown, onClose }: { shown: { label: string; token: string }; onClose: () => void }) {
  const t = useText(teamTexts);
  const s = useText(shellTexts);
  useFocusReturn();
  const [isCopied, setCopied] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.tokenShown}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={isCopied}
      closeButtonProps={{ "aria-label": s.close }}
    >
      <div className={styles.shown}>
        <Notice tone="warning">{t.tokenOnce}</Notice>
        <code>{shown.token}</code>
        <CopyButton text={shown.token} variant="filled" size="sm" onCopied={() => setCopied(true)} />
        <pre>{`curl ${location.origin}/api/v1/admin/api-keys \\\n  -H 'authorization: Bearer ${shown.token}'`}</pre>
      </div>
    </Modal>
  );
}
