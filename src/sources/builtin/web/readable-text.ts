import { setImmediate as nextTurn } from "node:timers/promises";
import { Parser } from "htmlparser2";
import { createFlowingText, type FlowingText } from "./flowing-text.ts";

export interface ReadableText {
  readonly title: string | null;
  readonly text: string;
  /** The page was too deeply nested, or its text too long, to be read to its end. */
  readonly cut: boolean;
}

type Attributes = Readonly<Record<string, string>>;
type Close = () => void;

/** Elements without content for a reader. */
const SKIPPED = new Set(
  "script style noscript template svg math iframe object canvas nav footer aside dialog button select textarea".split(
    " ",
  ),
);
const PARAGRAPHS = new Set("p div section header table ul ol dl blockquote figure form hr".split(" "));
const LINES = new Set("br tr dt dd option figcaption caption summary address".split(" "));
/** Everything outside the main part is left out if that part has at least this share of the characters. */
const MAIN_SHARE = 0.2;
/** Deeper nesting is no page for readers, and the parser would need quadratic time for it. */
const MAX_DEPTH = 500;
/** Maximum length of the output, with markup and addresses: a short page can expand to a long text. */
const MAX_TEXT = 5_000_000;
const MAX_LINK_LENGTH = 500;
const MAX_INDENT = 6;
const CHUNK = 32 * 1024;

/**
 * The text of a page as a reader sees it, in light Markdown: headings, lists, links with absolute addresses, code and
 * table cells. Only the main part if the page marks one. One pass over the source without a tree, letting other work
 * run after each piece.
 */
export async function toReadableText(html: string, base: URL, signal: AbortSignal): Promise<ReadableText> {
  const page = createPage(base);
  const open: Close[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      open.push(page.open(name, attributes));
    },
    onclosetag: () => open.pop()?.(),
    ontext: page.addText,
  });
  for (let at = 0; at < html.length; at += CHUNK) {
    parser.write(html.slice(at, at + CHUNK));
    await nextTurn();
    signal.throwIfAborted();
    if (open.length > MAX_DEPTH || page.size() > MAX_TEXT) return { ...page.read(), cut: true };
  }
  parser.end();
  return { ...page.read(), cut: false };
}

/** The text of the whole page and of its main part, written in parallel. */
function createTexts() {
  const [whole, main] = [createFlowingText(), createFlowingText()];
  let inMain = 0;
  const texts = () => (inMain > 0 ? [whole, main] : [whole]);
  const each = (use: (text: FlowingText) => void) => texts().forEach(use);
  /** A close goes to the texts that got the open, even if the main part began in between. */
  const wrap = (prefix: string, suffix: string): Close => {
    const seen = texts();
    for (const text of seen) text.open(prefix);
    return () => {
      for (const text of seen) text.close(suffix);
    };
  };
  const block = (count: 1 | 2, inside: () => Close = () => () => {}): Close => {
    each((text) => text.breakLines(count));
    const close = inside();
    return () => {
      close();
      each((text) => text.breakLines(count));
    };
  };
  const enterMain = (): Close => {
    inMain += 1;
    const close = block(2);
    return () => {
      close();
      inMain -= 1;
    };
  };
  const read = () => (main.length >= whole.length * MAIN_SHARE ? main : whole).toString().trim();
  return { each, wrap, block, enterMain, read, size: () => whole.size };
}

function createPage(base: URL) {
  const { each, wrap, block, enterMain, ...texts } = createTexts();
  const lists: { next: number | null }[] = [];
  let [skipping, inPre, cells] = [0, 0, 0];
  let inTitle = false;
  let title = "";

  const item = (): Close => {
    const list = lists.at(-1);
    const mark = list?.next == null ? "-" : `${list.next++}.`;
    return block(1, () => wrap(`${"  ".repeat(Math.min(MAX_INDENT, Math.max(0, lists.length - 1)))}${mark} `, ""));
  };
  const list = (next: number | null): Close =>
    block(lists.length === 0 ? 2 : 1, () => {
      lists.push({ next });
      return () => lists.pop();
    });

  const open = (name: string, attributes: Attributes): Close => {
    if (name === "title" && title === "" && skipping === 0) {
      inTitle = true;
      return () => {
        inTitle = false;
      };
    }
    if (skipping > 0 || SKIPPED.has(name) || isHidden(attributes)) {
      skipping += 1;
      return () => {
        skipping -= 1;
      };
    }
    if (name === "main" || name === "article" || attributes.role === "main") return enterMain();
    if (/^h[1-6]$/.test(name)) return block(2, () => wrap(`${"#".repeat(Number(name[1]))} `, ""));
    if (PARAGRAPHS.has(name) && name !== "ul" && name !== "ol") return block(2);
    if (LINES.has(name)) {
      if (name === "tr") cells = 0;
      return block(1);
    }
    switch (name) {
      case "ul":
        return list(null);
      case "ol":
        return list(1);
      case "li":
        return item();
      case "td":
      case "th":
        cells += 1;
        each((text) => text.add(" "));
        return wrap(cells > 1 ? "| " : "", "");
      case "pre": {
        inPre += 1;
        const close = block(2, () => wrap("```\n", "\n```"));
        return () => {
          inPre -= 1;
          close();
        };
      }
      case "code":
        return inPre > 0 ? () => {} : wrap("`", "`");
      case "a": {
        const href = linkOf(attributes.href, base);
        return href === null ? () => {} : wrap("[", `](${href})`);
      }
      case "img":
        if (attributes.alt?.trim()) each((text) => text.add(` [image: ${attributes.alt}] `));
        return () => {};
      default:
        return () => {};
    }
  };
  const addText = (added: string) => {
    if (inTitle) title += added;
    else if (skipping === 0) each((text) => (inPre > 0 ? text.addPlain(added) : text.add(added)));
  };
  const read = () => ({ title: title.replace(/\s+/g, " ").trim() || null, text: texts.read() });
  return { open, addText, read, size: texts.size };
}

function isHidden(attributes: Attributes): boolean {
  return "hidden" in attributes || attributes["aria-hidden"] === "true";
}

/** Only an address that could be fetched next is worth showing. */
function linkOf(href: string | undefined, base: URL): string | null {
  if (href === undefined || href.startsWith("#") || href.length > MAX_LINK_LENGTH || !URL.canParse(href, base.href))
    return null;
  const url = new URL(href, base);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb && url.href.length <= MAX_LINK_LENGTH ? url.href : null;
}
