// The description of the API as files for tools.
import collection from "../../../../../clients/postman/landpartner.postman_collection.json?url";
import { useText } from "../shell/language";
import { docsTexts } from "./texts";

export function Downloads() {
  const t = useText(docsTexts);
  return (
    <p>
      {t.downloads}{" "}
      <a href="/api/v1/openapi-public.json" download="landpartner.openapi.json">
        OpenAPI 3.1
      </a>
      {", "}
      <a href={collection} download="landpartner.postman_collection.json">
        Postman
      </a>
      {". "}
      {t.pythonClient}
    </p>
  );
}
