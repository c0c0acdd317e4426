// The description of the API for tools, and the clients.
import { useText } from "../shell/language";
import styles from "./docs.module.css";
import { docsTexts } from "./texts";

const DESCRIPTION = "/api/v1/openapi-public.json";
const PYTHON_CLIENT = "/api/docs/landpartner-python.tar.gz";

export function Downloads() {
  const t = useText(docsTexts);
  return (
    <p className={styles.downloads}>
      {t.downloads}{" "}
      <a href={DESCRIPTION} download="landpartner.openapi.json">
        OpenAPI 3.1
      </a>
      {". "}
      {t.postman} <code>{location.origin + DESCRIPTION}</code>
      {". "}
      {t.clients}{" "}
      <code>
        pip install {location.origin}
        {PYTHON_CLIENT}
      </code>
      {", "}
      <a href="/api/docs/landpartner-typescript.tar.gz">TypeScript</a>.
    </p>
  );
}
