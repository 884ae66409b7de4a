import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";
import { type DocsSection, loadDocs } from "./docs-index.ts";
import { rankByWords } from "./rank-by-words.ts";

const MAX_SECTIONS = 5;
const MAX_EXCERPT = 1500;

/** `docs`: the sections of Toolcrib's own documents that fit a question best. They are loaded on first use. */
export function createDocs(folder: string): BuiltinHandler {
  let loading: Promise<readonly DocsSection[]> | null = null;
  return async ({ query }) => {
    if (typeof query !== "string" || query.trim() === "") return fail("Say in a few words what to look for.");
    loading ??= loadDocs(folder);
    loading.catch(() => {
      loading = null;
    });
    const sections = await loading;
    const found = rankByWords(sections, query).slice(0, MAX_SECTIONS);
    if (found.length === 0) {
      const files = [...new Set(sections.map(({ file }) => file))];
      return fail(
        `Nothing in the documentation fits "${query}". Use other words. The documents are: ${files.join(", ")}.`,
      );
    }
    return succeed(
      found.map(showSection).join("\n\n"),
      found.map(({ file, headings }) => ({ file, heading: headings.join(" > ") })),
    );
  };
}

function showSection({ file, headings, text }: DocsSection): string {
  const cut = text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)} […]` : text;
  return `${[file, ...headings].join(" > ")}\n${cut}`;
}
