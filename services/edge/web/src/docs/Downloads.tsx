// The description of the API for tools, and the clients.
import { useText } from "../shell/language";
import styles from "./docs.module.css";
import { docsTexts } from "./texts";

const DESCRIPTION = "/api/v1/openapi-public.json";
const CLIENTS = [
  ["pip install", "python"],
  ["npm install", "typescript"],
] as const;

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
      {CLIENTS.map(([command, name]) => (
        <code key={name}>
          {command} {location.origin}/api/docs/landpartner-{name}.tar.gz{" "}
        </code>
      ))}
    </p>
  );
}
