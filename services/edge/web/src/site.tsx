// The pages for partners: home, terrain, playground and documentation. In a document loaded as terrain or the playground,
// links between them change the address without a new load. So the API key stays in memory from page to page. The policy of
// other documents forbids the tiles of the map: the browser loads the next page.
import { type ComponentType, useEffect, useSyncExternalStore } from "react";
import { askOpenerForKey, hasApiKey } from "./shell/apiKey";
import { mountPage } from "./shell/mount";
import { onDemand } from "./shell/states";

const PAGES = {
  home: onDemand(() => import("./home/Home")),
  terrain: onDemand(() => import("./terrain/Terrain")),
  playground: onDemand(() => import("./playground/Playground")),
  docs: onDemand(() => import("./docs/public")),
  notFound: onDemand(() => import("./home/NotFound")),
} satisfies Record<string, ComponentType>;

/** Both have the map, whose tiles their policy allows. They show the same requests. */
const WITH_KEY: Readonly<Record<string, keyof typeof PAGES>> = { "/terrain": "terrain", "/playground": "playground" };
const CHANGED = "popstate";
const loadedAt = location.pathname;
/** The path that the service answered with 404, if it did. */
const missingPath = document.querySelector("[data-status='404']") === null ? null : loadedAt;

function Site() {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  const Current = PAGES[path === missingPath ? "notFound" : (pageOf(path) ?? "notFound")];
  return (
    <>
      <Current key={path} />
      <Arrival path={path} />
    </>
  );
}

let arrivedAt = loadedAt;

/** Moves the focus to the content after a change of page, as a browser does when it loads one. */
function Arrival({ path }: { path: string }) {
  useEffect(() => {
    if (path === arrivedAt) return;
    arrivedAt = path;
    document.getElementById("content")?.focus({ preventScroll: true });
  }, [path]);
  return null;
}

/** /api/docs itself is the full reference, a document of its own. */
function pageOf(path: string): keyof typeof PAGES | null {
  if (path === "/") return "home";
  return WITH_KEY[path] ?? (path.startsWith("/api/docs/") ? "docs" : null);
}

/** After a reload, the browser's history may name pages that this document may not show. */
function reloadOtherPage(): void {
  if (location.pathname !== loadedAt) location.reload();
}

function subscribe(changed: () => void): () => void {
  addEventListener(CHANGED, changed);
  return () => removeEventListener(CHANGED, changed);
}

/**
 * Follows a plain click on a link to a page of this document. The browser follows all other links. While this document
 * has a key, it opens other documents of the service in a new tab.
 */
function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  const isHere = to.pathname === location.pathname;
  if (to.origin !== location.origin || (isHere && to.hash !== "")) return;
  if (pageOf(to.pathname) === null) {
    if (hasApiKey()) link.target = "_blank";
    return;
  }
  event.preventDefault();
  history.pushState(null, "", to);
  scrollTo(0, 0);
  dispatchEvent(new PopStateEvent(CHANGED));
  if (isHere) dispatchEvent(new HashChangeEvent("hashchange"));
}

askOpenerForKey();
if (loadedAt in WITH_KEY) document.addEventListener("click", follow);
else addEventListener(CHANGED, reloadOtherPage);
mountPage(<Site />);
