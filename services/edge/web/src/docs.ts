// The interactive API reference: Swagger UI over one of the two descriptions that the edge serves.
import "swagger-ui-dist/swagger-ui.css";
import "./docs.css";
import SwaggerUIBundle from "swagger-ui-dist/swagger-ui-es-bundle.js";

const reference = document.getElementById("reference");

SwaggerUIBundle({
  domNode: reference,
  url: reference?.dataset["description"],
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false, // a key stays in this page's memory and nowhere else
  requestSnippetsEnabled: true,
  tryItOutEnabled: true,
  validatorUrl: null, // no request leaves the host
});
