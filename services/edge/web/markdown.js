// Vite plugin: a Markdown file of docs/ as a module with its title, its headings and its HTML, and the guide with its
// chapters. The build also has the Markdown for machines, the HTML for readers without scripts, and the files that it links
// to; the edge serves them.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Marked } from "marked";

const PUBLISHED = Object.fromEntries(
  ["land-units", "addresses", "parcels", "events", "verdicts", "agents", "gis", "changes"].map((name) => [
    `${name}.md`,
    `/api/docs/${name}`,
  ]),
);
const FILE = /(?<=\]\()(?:\.\.\/)?([\w-]+\.(?:png|qgs|csv))(?=\))/g;
const DOCUMENT = /\[([^\]]+)\]\((?:\.\.\/)?([\w-]+\.md)(?:#[^)]*)?\)/g;
const GUIDE = /guide\/(\w+)\.md$/;
const CHAPTER = /^<!-- (\w+) -->\n\n## (.+)\n/m;
/** What the page shows in its own form. */
const SHOWN = /<!-- shown -->\n(.*?)<!-- \/shown -->\n/gs;
const COMMENT = /<!-- \/?\w+ -->\n+/g;

export function markdown() {
  return {
    name: "markdown",
    transform: {
      filter: { id: /\.md$/ },
      handler(text, file) {
        const [, language] = GUIDE.exec(file) ?? [];
        const french = file.includes("/docs/fr/") ? ".fr" : "";
        const name = language ? `public.${language}` : basename(file, ".md") + french;
        if (this.environment.mode === "build") {
          this.emitFile({ type: "asset", fileName: `docs/${name}.md`, source: forMachines(text) });
          this.emitFile({ type: "asset", fileName: `docs/${name}.html`, source: wholeOf(text) });
          for (const [path, fileName] of text.matchAll(FILE))
            this.emitFile({
              type: "asset",
              fileName: `docs/${fileName}`,
              source: readFileSync(join(dirname(file), path)),
            });
        }
        const content = language ? guideOf(text) : documentOf(text);
        return { code: `export default ${JSON.stringify(content)}`, moduleType: "js" };
      },
    },
  };
}

/** Without comments. Files are beside the document, and links to documents that are not served become text. */
function forMachines(text) {
  return text
    .replace(COMMENT, "")
    .replace(FILE, "$1")
    .replace(DOCUMENT, (link, words, file) => (file in PUBLISHED ? link : words));
}

/** The HTML of the whole document, for a page that no script has completed. */
function wholeOf(text) {
  return new Marked({ renderer }).parse(text.replace(COMMENT, ""));
}

/** The guide: a title, a text, and chapters. A chapter may have a place for what is shown between its texts. */
function guideOf(text) {
  const marked = new Marked({ renderer });
  const [introduction, ...parts] = text.split(CHAPTER);
  const [title, ...tokens] = marked.lexer(introduction);
  const chapters = {};
  for (let index = 0; index < parts.length; index += 3) {
    const [before, , after = ""] = parts[index + 2].split(SHOWN);
    chapters[parts[index]] = { title: parts[index + 1], before: marked.parse(before), after: marked.parse(after) };
  }
  return { title: title.text, text: marked.parser(tokens), chapters };
}

function documentOf(text) {
  const marked = new Marked({ renderer });
  const [title, ...tokens] = marked.lexer(text);
  const headings = tokens
    .filter(({ type, depth }) => type === "heading" && depth === 2)
    .map(({ text }) => ({ id: slug(text), text }));
  return { title: title.text, headings, html: besideText(tokens, marked) };
}

/** The HTML of tokens. Code is in one element with the text between it and the last heading, table or code. */
function besideText(tokens, marked) {
  let html = "";
  let text = [];
  for (const token of tokens) {
    const isCode = token.type === "code";
    if (!isCode) text.push(token);
    if (!isCode && !["heading", "table"].includes(token.type)) continue;
    const before = marked.parser(text);
    const code = isCode ? marked.parser([token]) : "";
    html += code && before ? `<div data-beside><div>${before}</div>${code}</div>` : before + code;
    text = [];
  }
  return html + marked.parser(text);
}

const renderer = {
  /** Code scrolls, also by keyboard. */
  code({ text }) {
    return `<pre tabindex="0"><code>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</code></pre>\n`;
  },
  heading({ tokens, depth, text }) {
    return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  },
  /** A wide table scrolls in its frame, also by keyboard. */
  table(token) {
    const row = (cells, tag) =>
      `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
    const body = token.rows.map((cells) => row(cells, "td")).join("");
    return `<div data-table tabindex="0"><table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
  },
  image({ href, text }) {
    return `<img src="/api/docs/${basename(href)}" alt="${text}" />`;
  },
  /** Links between the served documents work. Links to the other documents, which are not served, become text. */
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens);
    const [, file, fragment] = /^(?:docs\/)?([\w-]+\.md)?(#[\w-]+)?$/.exec(href) ?? [];
    if (file === undefined && fragment !== undefined) return `<a href="${fragment}">${text}</a>`;
    if (file !== undefined)
      return file in PUBLISHED ? `<a href="${PUBLISHED[file]}${fragment ?? ""}">${text}</a>` : text;
    if (/\.(qgs|csv)$/.test(href)) return `<a href="/api/docs/${basename(href)}" download>${text}</a>`;
    if (href.startsWith("/api/")) return `<a href="${href}">${text}</a>`;
    return /^https:\/\//.test(href)
      ? `<a href="${encodeURI(href)}" target="_blank" rel="noopener noreferrer">${text}</a>`
      : text;
  },
};

/** The fragment that GitHub gives a heading. */
function slug(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
