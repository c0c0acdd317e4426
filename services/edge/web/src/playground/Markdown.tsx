// Renders the assistant's Markdown, which a model may have written, as elements and never as HTML. Unsupported syntax,
// such as images and raw HTML, is shown as plain text.
import { Fragment, type ReactNode } from "react";

type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph"; text: string }
  | { kind: "list"; isOrdered: boolean; items: { text: string; inner: string[] }[] };

const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const INLINE = /\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|`([^`]+)`|\[([^\]]+)\]\((https?:\/\/[^\s()]+)\)/;

/** `topLevel` is the heading level of a first-level heading, so that the outline of the page is correct. */
export function Markdown({ text, topLevel = 3 }: { text: string; topLevel?: number }) {
  return <Blocks lines={text.split("\n")} topLevel={topLevel} />;
}

function Blocks({ lines, topLevel }: { lines: string[]; topLevel: number }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a streamed text grows only at its end
  return blocks(lines).map((block, index) => <BlockView key={index} block={block} topLevel={topLevel} />);
}

function BlockView({ block, topLevel }: { block: Block; topLevel: number }) {
  switch (block.kind) {
    case "heading": {
      const Heading = `h${Math.min(6, block.level + topLevel - 1)}` as "h3";
      return <Heading>{inline(block.text)}</Heading>;
    }
    case "paragraph":
      return <p>{inline(block.text)}</p>;
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <li key={index}>
              {inline(item.text)}
              {item.inner.length > 0 && <Blocks lines={item.inner} topLevel={topLevel} />}
            </li>
          ))}
        </List>
      );
    }
  }
}

function blocks(lines: string[]): Block[] {
  const found: Block[] = [];
  let isOpen = false; // whether the next line continues the last block
  for (const line of lines) {
    const last = found.at(-1);
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (line.trim() === "") {
      isOpen = last?.kind === "list";
    } else if (heading) {
      found.push({ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" });
      isOpen = false;
    } else if (last?.kind === "list" && isOpen && /^\s{2,}/.test(line)) {
      last.items.at(-1)?.inner.push(line.replace(/^\s{2,4}/, ""));
    } else if (item) {
      const isOrdered = /\d/.test(item[2] ?? "");
      const entry = { text: item[3] ?? "", inner: [] };
      if (last?.kind === "list" && isOpen && last.isOrdered === isOrdered) last.items.push(entry);
      else found.push({ kind: "list", isOrdered, items: [entry] });
      isOpen = true;
    } else if (last?.kind === "paragraph" && isOpen) {
      last.text += ` ${line.trim()}`;
    } else {
      found.push({ kind: "paragraph", text: line.trim() });
      isOpen = true;
    }
  }
  return found;
}

function inline(text: string): ReactNode {
  const match = INLINE.exec(text);
  if (match === null) return text;
  const [whole, strong, emphasis, code, link, address] = match;
  return (
    <Fragment>
      {text.slice(0, match.index)}
      {strong !== undefined && <strong>{inline(strong)}</strong>}
      {emphasis !== undefined && <em>{inline(emphasis)}</em>}
      {code !== undefined && <code>{code}</code>}
      {link !== undefined && (
        <a href={address} target="_blank" rel="noopener noreferrer nofollow">
          {link}
        </a>
      )}
      {inline(text.slice(match.index + whole.length))}
    </Fragment>
  );
}
