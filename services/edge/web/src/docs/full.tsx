// The full reference: consumer, public and admin operations.
import "../shell/fields.css";
import { FULL_DESCRIPTION } from "../api/description";
import { useText } from "../shell/language";
import { mountPage } from "../shell/mount";
import { Page } from "../shell/Page";
import { usePageTitle } from "../shell/title";
import styles from "./docs.module.css";
import Reference from "./reference/Reference";
import { docsTexts } from "./texts";

function FullReference() {
  const t = useText(docsTexts);
  usePageTitle(t.fullTitle, t.title);
  return (
    <>
      <header className={styles.title}>
        <h1>{t.fullTitle}</h1>
        <p>
          {t.fullIntro} <a href="/api/docs/public">{t.toGuide}</a>
        </p>
      </header>
      <Reference description={FULL_DESCRIPTION} />
    </>
  );
}

mountPage(
  <Page current="reference">
    <FullReference />
  </Page>,
);
