import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ensureReady } from "../scripts/setup.mjs";
import { REPORT_FOLDER, readPublicApi } from "../scripts/write-api-report.mjs";
import { ROOT } from "./support/built-cli.ts";

/** The pages that say what each entry of the package is for. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  toolcrib: ["library.md"],
  core: ["core.md"],
  anthropic: ["dialects.md"],
  openai: ["dialects.md"],
  gemini: ["dialects.md"],
  "ai-sdk": ["dialects.md"],
  testing: ["sources.md", "library.md"],
};
/** Of these every type has its place on the page too; types of the others are those of a provider's own SDK. */
const WHOLE: readonly string[] = ["toolcrib", "core"];

const ON_PURPOSE =
  "The public surface is no longer what test/fixtures/public-api says. If that is meant, run `node scripts/write-api-report.mjs`, " +
  "say it in CHANGELOG.md and on the page of the entry, and commit all of it; if not, take the change back.";

describe("the public surface", () => {
  if (!ensureReady(ROOT, { declares: true })) throw new Error("the declarations cannot be built");
  const { entries, files } = readPublicApi();

  test("is the one that was written down", { timeout: 300_000 }, () => {
    const written = readdirSync(REPORT_FOLDER).map((name) => [name, readFileSync(join(REPORT_FOLDER, name), "utf8")]);
    expect(Object.fromEntries(files), ON_PURPOSE).toEqual(Object.fromEntries(written));
  });

  test("is small where programs start", () => {
    const names = entries.get("toolcrib") ?? [];
    expect(names.length).toBeLessThanOrEqual(70);
    expect(names.filter(({ isValue }) => isValue).length).toBeLessThanOrEqual(15);
  });

  test.each(Object.keys(PAGES))("every name of %s that a program can use stands on its page", (entry) => {
    const pages = (PAGES[entry] ?? []).map((page) => readFileSync(join(ROOT, "docs", "reference", page), "utf8"));
    const code = [...pages.join("\n").matchAll(/```[\s\S]*?```|`[^`\n]+`/g)].join("\n");
    const words = new Set(code.match(/[\w$]+/g));
    const names = (entries.get(entry) ?? []).filter(({ isValue }) => isValue || WHOLE.includes(entry));
    expect(names).not.toEqual([]);
    expect(names.map(({ name }) => name).filter((name) => !words.has(name))).toEqual([]);
  });

  test.each(["Executor", "GrantStore", "Host", "OpenSession", "SurfaceSetting", "Surroundings"])(
    "%s is inside",
    (name) => {
      const shown = new RegExp(`^ {2}(?:declare )?(?:interface|type|class) ${name}\\b`, "m");
      expect([...files].filter(([, text]) => shown.test(text)).map(([file]) => file)).toEqual([]);
    },
  );

  test("every entry has a page", () => {
    expect([...entries.keys()].sort()).toEqual(Object.keys(PAGES).sort());
  });
});
