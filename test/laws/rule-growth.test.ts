import { beforeAll, expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { createResolver } from "../../src/core/catalog/resolver.ts";
import { defaultOrigin, sourced } from "../../src/core/codes/origin.ts";
import { compileRules } from "../../src/core/rules/compile-rules.ts";
import { decide, type Subject } from "../../src/core/rules/decide.ts";
import { parseRule } from "../../src/core/rules/rule.ts";
import { toTool } from "../../src/core/tool/tool.ts";
import { createMeantTools } from "../../src/runtime/permissions/meant-tools.ts";
import { createShellReader, type ShellReader } from "../../src/system/shell/read-command-line.ts";
import { growthExponent } from "../fixtures/counted-work.ts";

const RULES = 200;
const WORLD = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };

/** A fifth each about tools, files read, files written, commands and addresses. */
const KINDS = [
  (at: number) => ["deny", `mcp__server-${at % 50}__drop_${at}`],
  (at: number) => ["deny", at % 2 === 0 ? `Read(/private/area-${at}/**)` : `Read(**/secret-${at}.key)`],
  (at: number) => ["allow", `Edit(/src/area-${at}/**)`],
  (at: number) => [at % 2 === 0 ? "ask" : "allow", `Bash(tool-${at} ${at % 2 === 0 ? "push" : "test"}:*)`],
  (at: number) => ["deny", at % 2 === 0 ? `WebFetch(domain:site-${at}.example.com)` : `url(https://h-${at}.test/x/*)`],
] as const;

const tools = Array.from({ length: 100 }, (_, at) =>
  toTool({ name: `get_${at}`, source: "mcp", server: `server-${at % 50}`, inputSchema: { type: "object" } }),
);
const catalog = buildCatalog(tools);
const [entry] = catalog.entries;
const resolver = createResolver({ catalog });

let reader: ShellReader;

beforeAll(async () => {
  reader = await createShellReader();
});

const texts = (count: number) => Array.from({ length: count }, (_, at) => KINDS[at % KINDS.length]?.(at) ?? []);

function compile(all: ReturnType<typeof texts>) {
  const ofList = (wanted: string) =>
    all.flatMap(([list, text = ""]) => (list === wanted ? [sourced(parseRule(text, defaultOrigin))] : []));
  return compileRules({ deny: ofList("deny"), ask: ofList("ask"), allow: ofList("allow") }, WORLD);
}

function judging(rules: ReturnType<typeof compileRules>, subject: Subject, args: object): () => unknown {
  const { means, meantAmong } = createMeantTools(() => resolver);
  const call = {
    ...{ toolName: "server-0__get_0", subject, arguments: args, readOnly: false },
    isMeantBy: (identifier: string) => entry !== undefined && means(identifier, { entry }, "first"),
    meantAmong: (all: readonly string[]) => (entry === undefined ? [] : meantAmong(all, { entry }, "first")),
  };
  return () => decide(call, rules, { ...WORLD, mode: "default", allowReadOnly: true });
}

/** How often our own code runs says nothing about a walk that the engine makes, such as a copy; `bench/curves` does. */
test.each<[string, () => Subject, object]>([
  ["a tool of a server", () => ({ kind: "other" }), { account: "a-1" }],
  ["a file that is read", () => ({ kind: "read", paths: ["docs/guide/start.md"] }), {}],
  ["a file that is written", () => ({ kind: "write", paths: ["src/start.ts"] }), {}],
  ["an address", () => ({ kind: "url", url: "https://docs.example.org/start" }), {}],
  [
    "a command line",
    () => ({ kind: "shell", line: reader.read("cd docs && npm run build 2>&1 | tail -20; cat a.md > b.md") }),
    {},
  ],
])("one more call of %s costs nearly the same among 16 times as many rules", (_, toSubject, args) => {
  const exponent = growthExponent(RULES, (count) => {
    const judge = judging(compile(texts(count)), toSubject(), args);
    judge();
    return judge;
  });
  expect(exponent).toBeLessThan(0.05);
});

test("from their texts to the first answer, the work grows no more than in proportion to the rules", () => {
  const exponent = growthExponent(RULES, (count) => {
    const all = texts(count);
    return () => judging(compile(all), { kind: "other" }, {})();
  });
  expect(exponent).toBeLessThan(1.05);
});
