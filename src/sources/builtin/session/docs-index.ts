import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import type { Searchable } from "./rank-by-words.ts";

/** A section of a document: the text under one heading. */
export interface DocsSection extends Searchable {
  /** Relative to the package, with slashes. */
  readonly file: string;
  /** The headings above it and its own, outermost first. */
  readonly headings: readonly string[];
}

/** The sections of the README and of all Markdown files in `docs` of a package. */
export async function loadDocs(folder: string): Promise<readonly DocsSection[]> {
  const files = ["README.md", ...(await listMarkdown(join(folder, "docs"))).map((path) => `docs/${path}`)];
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readIfAny(join(folder, file)) })));
  return texts.flatMap(({ file, text }) => splitSections(file, text));
}

/** Sections of one Markdown file; a `#` inside a code block is not a heading. */
export function splitSections(file: string, markdown: string): DocsSection[] {
  const sections: DocsSection[] = [];
  let headings: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const end = () => {
    const text = lines.join("\n").trim();
    if (text !== "" || headings.length > 0) sections.push({ file, headings, title: headings.join(" "), text });
    lines = [];
  };
  for (const line of markdown.split(/\r?\n/)) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence;
    const [, level, heading] = (fence === null && /^(#{1,6})\s+(.+?)\s*#*$/.exec(line)) || [];
    if (level === undefined || heading === undefined) {
      lines.push(line);
      continue;
    }
    end();
    headings = [...headings.slice(0, level.length - 1), heading];
  }
  end();
  return sections;
}

async function listMarkdown(folder: string): Promise<string[]> {
  try {
    const paths = await readdir(folder, { recursive: true });
    return paths
      .filter((path) => path.endsWith(".md"))
      .map((path) => path.replaceAll(sep, "/"))
      .sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

async function readIfAny(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}
