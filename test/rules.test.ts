import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(`${ROOT}docs/reference/semantics.md`, "utf8");
const RULES = [...page.matchAll(/<a id="([a-z]\d+)"><\/a>([A-Z]\d+) \|/g)].map(([, anchor, rule]) => ({
  anchor,
  rule,
}));

const ID = "[NCIGFADEPXSTBKM]\\d{1,2}";
const IDS = `${ID}(?:(?:, | and | to )${ID})*`;
/** `(X2)`, `(F1 to F3)`; or in front of a sentence: `X2: …`. */
const CITATION = new RegExp(`\\((${IDS})\\)|(?:\\*\\* |// |["'\`])(${IDS}):`, "g");

/** Which rules a text cites, those between two of them included. */
function citedIn(text: string): readonly string[] {
  return [...text.matchAll(CITATION)].flatMap(([, inside, before]) => {
    const cited = inside ?? before ?? "";
    const between = [...cited.matchAll(new RegExp(`(${ID}) to (${ID})`, "g"))].flatMap(([, from = "", to = ""]) =>
      Array.from(
        { length: Number(to.slice(1)) - Number(from.slice(1)) + 1 },
        (_, at) => `${from[0]}${Number(from.slice(1)) + at}`,
      ),
    );
    return [...cited.matchAll(new RegExp(ID, "g"))].map(([id]) => id).concat(between);
  });
}

/** Files below a folder of the checkout, by their ending. */
function filesIn(folder: string, ending: RegExp): readonly string[] {
  const found = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return found.filter((path) => ending.test(path)).map((path) => join(folder, path));
}

/** Vectors of the seeds have numbers of their own, also where tests are named by them. */
const files = [...filesIn("src", /\.tsx?$/), ...filesIn("test", /\.ts$/)].filter(
  (file) => !/^test\/(?:seeds|claims)\//.test(file),
);
const citations = files.flatMap((file) =>
  citedIn(readFileSync(`${ROOT}${file}`, "utf8")).map((rule) => ({
    file,
    rule,
    isTest: /(?:^test\/|\.test)/.test(file),
  })),
);

test("every rule has one anchor", () => {
  expect(RULES.length).toBeGreaterThan(70);
  expect(new Set(RULES.map(({ rule }) => rule)).size).toBe(RULES.length);
  for (const { anchor, rule } of RULES) expect(anchor).toBe(rule?.toLowerCase());
});

test("every rule that code or a test cites is on the page", () => {
  const known = new Set(RULES.map(({ rule }) => rule));
  expect(citations.filter(({ rule }) => !known.has(rule)).map(({ file, rule }) => `${file}: ${rule}`)).toEqual([]);
});

test("every rule on the page is cited by a test", () => {
  const tested = new Set(citations.flatMap(({ isTest, rule }) => (isTest ? [rule] : [])));
  expect(RULES.map(({ rule }) => rule).filter((rule) => !tested.has(rule ?? ""))).toEqual([]);
});

test("what users read has words and no numbers of rules", () => {
  const found = [...filesIn("docs", /\.md$/), "README.md"]
    .filter((path) => path !== "docs/reference/semantics.md" && !path.startsWith("docs/contributing/"))
    .flatMap((path) => citedIn(readFileSync(`${ROOT}${path}`, "utf8")).map((rule) => `${path}: ${rule}`));
  expect(found).toEqual([]);
});
