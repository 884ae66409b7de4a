import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { aMcpTool, aTool } from "../../../test/fixtures/builders.ts";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import type { Confinement } from "../../core/rules/paths.ts";
import { parseRule } from "../../core/rules/rule.ts";
import type { Mode } from "../../core/scene/scene.ts";
import { toPinnedSignature } from "../../core/tool/pinned-signature.ts";
import { digestOf, type Grant } from "./grant.ts";
import { createRuleBook } from "./rule-book.ts";
import type { RuleSetting, Ruling } from "./ruling.ts";

const origin = { kind: "default" } as const;
const entries = buildCatalog([aMcpTool("git/push"), aMcpTool("git/log")]).entries;
const RULES = ["git/push", "git/log", "mcp__git", "git/push(force:true)", "git/*", "git/push(/main/)", "other/tool"];
const ARGS = [{}, { force: true }, { branch: "main" }, { force: "true", branch: "dev" }];
const MODES = ["default", "plan", "bypass", "dont-ask", "accept-edits"] as const satisfies readonly Mode[];

const signatureOf = (name: string) =>
  entries.flatMap(({ identity, tool }) => (identity === name ? [toPinnedSignature(tool)] : []))[0] ?? null;
const aGrant: Grant = {
  ...{ id: "g1", scope: "session", tool: "git/push", signature: signatureOf("git/push"), rules: ["git/push"] },
  ...{ digest: null, created: 0, expires: null },
};

const aBound: Grant = {
  ...{ id: "g2", scope: "session", tool: "git/log", signature: signatureOf("git/log"), rules: [] },
  ...{ digest: digestOf({ force: true }), created: 0, expires: null },
};

type World = { readonly setting: RuleSetting; readonly grants: readonly Grant[]; readonly isTrusted: boolean };

function bookOn(world: () => World, create = createRuleBook, confinement?: () => Confinement) {
  const store = () => ({
    grants: world().grants,
    refresh: async () => {},
    add: async () => {},
    revoke: async () => false,
  });
  return create({
    rules: () => world().setting,
    grants: store,
    isTrusted: () => world().isTrusted,
    today: () => 1,
    ...(confinement === undefined ? {} : { confinement }),
  });
}

const someRules = fc.subarray(RULES, { maxLength: 3 });
const aSetting = fc.record({
  ...{ deny: someRules, ask: someRules, allow: someRules, mode: fc.constantFrom(...MODES) },
  isTrusted: fc.boolean(),
});
const aStep = fc.record({
  setting: fc.option(aSetting, { freq: 2 }),
  /** Which tool the name `git/push` means from here on. */
  meant: fc.option(fc.nat(1), { freq: 2 }),
  isGranted: fc.boolean(),
  entry: fc.constantFrom(...entries),
  /** Whether the tool is another one since, which only reads. */
  reads: fc.boolean(),
  args: fc.constantFrom(...ARGS),
});
const readers = new Map(
  entries.map((entry) => [entry, { ...entry.tool, traits: { ...entry.tool.traits, readOnly: true } }]),
);

test("a book that has decided before decides as one that never did, whatever changed since", async () => {
  await fc.assert(
    fc.asyncProperty(aSetting, fc.array(aStep, { minLength: 2, maxLength: 12 }), async (first, steps) => {
      let names = { meant: 0 };
      const means = (identifier: string, { entry }: { readonly entry: Entry }): boolean => {
        if (identifier === "mcp__git" || identifier === "git/*") return true;
        if (identifier === "git/push") return entry === entries[names.meant];
        return identifier === "git/log" && entry === entries[1 - names.meant];
      };
      const toSetting = ({ deny, ask, allow, mode }: typeof first): RuleSetting => {
        const read = (texts: readonly string[]) => texts.map((text) => ({ value: parseRule(text, origin), origin }));
        const lists = { deny: read(deny), ask: read(ask), allow: read(allow) };
        const place = { workspace: "/project", added: [], home: "/home" };
        return { lists, mode: { value: mode, origin }, ...place, means, names: () => names, revision: {} };
      };
      let world: World = { setting: toSetting(first), grants: [], isTrusted: first.isTrusted };
      const book = bookOn(() => world);
      for (const { setting, meant, isGranted, entry, args, reads } of steps) {
        if (setting !== null) world = { ...world, setting: toSetting(setting), isTrusted: setting.isTrusted };
        if (meant !== null) names = { meant };
        world = { ...world, grants: isGranted ? [aGrant, aBound] : [] };
        const call = { id: "c", toolName: entry.wireName, arguments: args };
        const prepared = { call, entry, tool: (reads && readers.get(entry)) || entry.tool, args };
        const now = world;
        const all = ({ decision, readOnly, mode, narrowest, bound }: Ruling) => ({
          ...{ decision, readOnly, mode },
          ...{ narrowest: narrowest(prepared), bound: bound(prepared) },
        });
        expect(all(await book.rule(prepared))).toEqual(all(await bookOn(() => now).rule(prepared)));
      }
    }),
    { numRuns: 500 },
  );
});

test("a command that writes in a sandbox writes, though it needs no question there", async () => {
  const setting: RuleSetting = {
    lists: { deny: [], ask: [], allow: [] },
    ...{ mode: { value: "default", origin }, workspace: "/project", added: [], home: "/home", revision: {} },
    ...{ means: (name, { entry }) => name === entry.identity, names: () => null },
    sandboxed: { value: "allow", origin },
  };
  const confinement = () => ({ covers: () => true });
  const book = bookOn(() => ({ setting, grants: [], isTrusted: true }), createRuleBook, confinement);
  const [entry] = buildCatalog([aTool({ name: "bash", source: "builtin", traits: { hostShell: true } })]).entries;
  if (entry === undefined) throw new Error("there is one");
  for (const [command, readOnly] of [
    ["git status", true],
    ["touch x", false],
  ] as const) {
    const args = { command };
    const prepared = { call: { id: "c", toolName: "bash", arguments: args }, entry, tool: entry.tool, args };
    expect(await book.rule(prepared)).toMatchObject({ decision: { decision: "allow" }, readOnly });
  }
});

test("a kept approval that is a regular expression counts where no other rule is one", async () => {
  // As in a process that has read none yet.
  vi.resetModules();
  const { createRuleBook: create } = await import("./rule-book.ts");
  const setting: RuleSetting = {
    lists: { deny: [], ask: [], allow: [] },
    ...{ mode: { value: "default", origin }, workspace: "/project", added: [], home: "/home", revision: {} },
    ...{ means: (name, { entry }) => name === entry.identity, names: () => null },
  };
  const grants = [{ ...aGrant, rules: ["git/push(/.*main.*/)"] }];
  const book = bookOn(() => ({ setting, grants, isTrusted: false }), create);
  const entry = entries.find(({ identity }) => identity === "git/push");
  if (entry === undefined) throw new Error("there are two");
  const args = { branch: "main" };
  const prepared = { call: { id: "c", toolName: entry.wireName, arguments: args }, entry, tool: entry.tool, args };
  expect((await book.rule(prepared)).decision).toMatchObject({ decision: "allow", code: "permission.granted" });
});
