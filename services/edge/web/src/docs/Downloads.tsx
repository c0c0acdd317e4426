// The description of the API for tools.
import { useText } from "../shell/language";
import { docsTexts } from "./texts";

const DESCRIPTION = "/api/v1/openapi-public.json";

export function Downloads() {
  const t = useText(docsTexts);
  return (
    <p>
      {t.downloads}{" "}
      <a href={DESCRIPTION} download="landpartner.openapi.json">
        OpenAPI 3.1
      </a>
      {". "}
      {t.postman} <code>{location.origin + DESCRIPTION}</code>
      {". "}
      {t.pythonClient}
    </p>
  );
}
