// The partners' documentation: guide and reference. The fragment of the address selects a chapter or an operation.
import { useEffect, useState } from "react";
import { useText } from "../shell/language";
import { mountPage } from "../shell/mount";
import { Page } from "../shell/Page";
import styles from "./docs.module.css";
import { Guide } from "./Guide";
import { Reference } from "./Reference";
import { docsTexts } from "./texts";

const OPERATIONS = "#/"; // Swagger UI's links

function PublicDocs() {
  const t = useText(docsTexts);
  const isReference = useHash().startsWith(OPERATIONS);
  useEffect(() => {
    document.title = t.title;
  }, [t.title]);
  return (
    <Page
      current="reference"
      navigation={
        <nav className={styles.views} aria-label={t.views}>
          <a href="#start" aria-current={isReference ? undefined : "true"}>
            {t.guide}
          </a>
          <a href={OPERATIONS} aria-current={isReference ? "true" : undefined}>
            {t.reference}
          </a>
        </nav>
      }
    >
      {isReference ? (
        <>
          <header className={styles.title}>
            <h1>{t.reference}</h1>
            <p>{t.referenceIntro}</p>
          </header>
          <Reference description="/api/v1/openapi-public.json" />
        </>
      ) : (
        <Guide />
      )}
    </Page>
  );
}

function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return hash;
}

mountPage(<PublicDocs />);
