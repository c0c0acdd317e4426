// The page of an admin without a second factor if the access policy requires one.
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Admin } from "../../api/types";
import { useText } from "../../shell/language";
import { Page } from "../../shell/Page";
import styles from "../Entrance.module.css";
import { Failure } from "../parts/Failure";
import { useSession } from "../session";
import { adminTexts } from "../texts";
import { AccountDialog } from "./AccountDialogs";
import { accountTexts } from "./texts";

export function EnrolFirst({ admin }: { admin: Admin }) {
  const t = useText(accountTexts);
  const a = useText(adminTexts);
  const { leave } = useSession();
  const [isEnrolling, setEnrolling] = useState(false);
  const [error, setError] = useState<unknown>(null);
  return (
    <Page current="admin">
      <div className={styles.card}>
        <h1>{t.requiredTitle}</h1>
        <p className={styles.intro}>
          {t.requiredIntro} <bdi>{admin.email}</bdi>
        </p>
        {error !== null && <Failure error={error} />}
        <Button onClick={() => setEnrolling(true)}>{t.enrol}</Button>
        <Button variant="subtle" onClick={() => leave().catch(setError)}>
          {a.signOut}
        </Button>
      </div>
      {isEnrolling && <AccountDialog task="enrol" onClose={() => setEnrolling(false)} />}
    </Page>
  );
}
