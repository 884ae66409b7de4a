import { revealText } from "../text/reveal-text.ts";
import type { Inline } from "./inline.ts";
import { type Block, parseMarkdown } from "./markdown.ts";

/**
 * Markdown as HTML for a page of others. Every tag and attribute is written here, so that nothing in the text becomes one:
 * HTML stays text, nothing is loaded, and a link leads to the web or to a mailbox, with its address beside its words.
 */
export function markdownToHtml(text: string): string {
  return toBlocks(parseMarkdown(revealText(text.replace(/\r\n?/g, "\n"))));
}

/** Text as HTML, with invisible characters written out. */
export function textToHtml(text: string): string {
  return revealText(text).replace(/[&<>"']/g, (sign) => SIGNS.get(sign) ?? "");
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

function toBlocks(blocks: readonly Block[]): string {
  return blocks.map(toBlock).join("\n");
}

function toBlock(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return `<p>${toInline(block.text)}</p>`;
    case "heading": {
      // The page and its sections have the first two levels.
      const name = `h${Math.min(6, block.level + 2)}`;
      return `<${name}>${toInline(block.text)}</${name}>`;
    }
    case "code":
      return `<pre><code>${textToHtml(block.text)}</code></pre>`;
    case "quote":
      return `<blockquote>${toBlocks(block.blocks)}</blockquote>`;
    case "list": {
      const [name, start] = block.start === null ? ["ul", ""] : ["ol", ` start="${block.start}"`];
      return `<${name}${start}>${block.items.map((item) => `<li>${toItem(item)}</li>`).join("")}</${name}>`;
    }
    case "table": {
      const row = (cells: readonly (readonly Inline[])[], name: "th" | "td") =>
        `<tr>${cells.map((cell) => `<${name}>${toInline(cell)}</${name}>`).join("")}</tr>`;
      return `<table>${row(block.head, "th")}${block.rows.map((cells) => row(cells, "td")).join("")}</table>`;
    }
    case "rule":
      return "<hr>";
  }
}

/** An item that begins with a line has no paragraph around it. */
function toItem(blocks: readonly Block[]): string {
  const [first, ...rest] = blocks;
  return first?.kind === "paragraph" ? toInline(first.text) + toBlocks(rest) : toBlocks(blocks);
}

const NAMES = { strong: "strong", emphasis: "em", strike: "s" } as const;

function toInline(pieces: readonly Inline[]): string {
  return pieces.map(toPiece).join("");
}

function toPiece(piece: Inline): string {
  switch (piece.kind) {
    case "text":
      return textToHtml(piece.text);
    case "code":
      return `<code>${textToHtml(piece.text)}</code>`;
    case "break":
      return "<br>";
    case "link":
      return toLink(piece.address, toInline(piece.inside));
    default:
      return `<${NAMES[piece.kind]}>${toInline(piece.inside)}</${NAMES[piece.kind]}>`;
  }
}

const SAFE: ReadonlySet<string> = new Set(["https:", "http:", "mailto:"]);

/** Words can say anything, so the address stands beside them. */
function toLink(address: string, words: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const shown = textToHtml(address);
  const beside = words === shown || words === "" ? "" : ` <small>(${shown})</small>`;
  if (url === null || !SAFE.has(url.protocol)) return `${words === "" ? shown : words}${beside}`;
  return `<a href="${textToHtml(url.href)}" rel="noopener noreferrer nofollow">${words === "" ? shown : words}</a>${beside}`;
}
