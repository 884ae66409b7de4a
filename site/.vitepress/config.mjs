import { cpSync, readFileSync, rmSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));
/** A copy, since pages become modules that import Vue, which is found only from inside this folder. */
const PAGES = fileURLToPath(new URL("../pages", import.meta.url));

rmSync(PAGES, { recursive: true, force: true });
cpSync(DOCS, PAGES, { recursive: true });

/** The site of `docs/`. Its menu is what `docs/index.md` lists; a link that leads nowhere fails the build. */
export default {
  title: "Toolcrib",
  description: "Issues each run of an agent exactly the tools it should have, says why, and runs them safely.",
  lang: "en",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "node_modules/.cache/vitepress",
  cleanUrls: true,
  ignoreDeadLinks: false,
  markdown: { config: (md) => md.core.ruler.push("outside-docs", unlinkOutside) },
  themeConfig: {
    nav: [
      { text: "Install", link: "/install" },
      { text: "Configuration", link: "/reference/configuration" },
      { text: "Command line", link: "/reference/cli" },
    ],
    outline: [2, 3],
    search: { provider: "local" },
    sidebar: readMenu(readFileSync(resolve(DOCS, "index.md"), "utf8")),
  },
};

/**
 * A section of the menu for each heading of the index, with the pages that are linked below it.
 * @param {string} index
 */
function readMenu(index) {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf("\n")).trim(),
      items: [...section.matchAll(/^(?:- |\| )\[(.+?)\]\((.+?)\.md\)/gm)].map(([, text, page]) => ({
        text,
        link: `/${page}`,
      })),
    }));
}

/**
 * Files outside `docs`, such as examples, are in the repository and not on the site: their links become plain text.
 * @param {{ tokens: { type: string, children: any[] | null }[], env: { path: string } }} state
 */
function unlinkOutside({ tokens, env }) {
  for (const { children } of tokens) {
    if (children === null) continue;
    for (let at = 0; at < children.length; at++) {
      if (children[at].type !== "link_open" || !leadsOutside(children[at].attrGet("href"), env.path)) continue;
      const end = children.findIndex(({ type }, index) => index > at && type === "link_close");
      children.splice(end, 1);
      children.splice(at--, 1);
    }
  }
}

function leadsOutside(href, page) {
  if (/^(?:[a-z]+:|[#/])/i.test(href)) return false;
  return relative(PAGES, resolve(page, "..", href)).startsWith("..");
}
