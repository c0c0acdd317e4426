// Swagger UI with accessibility fixes: labels for its fields, and scrolling with the keyboard.
import "swagger-ui-dist/swagger-ui.css";
import "./swagger.css";
import SwaggerUIBundle from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { pageLanguage } from "../shell/language";

interface System {
  React: { createElement: (kind: string, properties: object | null, child: string) => unknown };
}

/** Shows the reference. Returns a function that removes it. `nameOf` gives the labels of its fields. */
export function showReference(
  container: HTMLElement,
  description: string,
  nameOf: (field: FieldName) => string,
): () => void {
  SwaggerUIBundle({
    domNode: container,
    url: description,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false, // the key stays in memory only
    requestSnippetsEnabled: true,
    syntaxHighlight: { theme: "obsidian" },
    tryItOutEnabled: true,
    validatorUrl: null, // no request leaves the host
    plugins: [withoutNestedLinks],
    requestInterceptor: toThisHost,
  });
  const observer = new MutationObserver(() => fixAccessibility(container, nameOf));
  observer.observe(container, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** Sends a request to the host of the page, because its policy forbids others, in the language of the page by default. */
function toThisHost(request: { url: string; headers: Record<string, string> }): object {
  const { pathname, search } = new URL(request.url, location.href);
  return {
    ...request,
    url: location.origin + pathname + search,
    headers: { "Accept-Language": pageLanguage(), ...request.headers },
  };
}

/** Replaces the link in an operation's button by text, since the button itself sets the address. */
function withoutNestedLinks(system: System): object {
  const DeepLink = ({ text }: { text: string }) => system.React.createElement("span", null, text);
  return { components: { DeepLink } };
}

export type FieldName = "server" | "example" | "mediaType" | "body" | "value";

const FIELDS: readonly (readonly [selector: string, name: FieldName])[] = [
  ["select#servers", "server"],
  ["select.examples-select-element", "example"],
  ["select.content-type", "mediaType"],
  ["textarea.body-param__text", "body"],
];

function fixAccessibility(container: HTMLElement, nameOf: (field: FieldName) => string): void {
  for (const [selector, name] of FIELDS) {
    for (const field of container.querySelectorAll(`${selector}:not([aria-label])`)) field.ariaLabel = nameOf(name);
  }
  for (const field of container.querySelectorAll<HTMLInputElement>("select, input, textarea")) {
    if (!field.ariaLabel && !field.labels?.length) field.ariaLabel = nameOf("value");
  }
  for (const scroller of container.querySelectorAll<HTMLElement>("pre:not([tabindex])")) scroller.tabIndex = 0;
  // Swagger UI marks a part as main, but the page already has a main element.
  for (const inner of container.querySelectorAll("main:not([role])")) inner.role = "presentation";
}
