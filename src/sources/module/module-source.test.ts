import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeFolder, makeRun } from "../../../test/support/builtin-host.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { sourceContract } from "../contract-suite/source-contract.ts";
import type { ModuleToolSpec } from "./load-module-tool.ts";
import { checkModules, createModuleSource, type ModuleSourceOptions } from "./module-source.ts";
import { parseUse } from "./parse-use.ts";

const ECHO = `
export const echo = {
  name: "echo",
  description: "Says it again.",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  handler: ({ text }) => String(text).toUpperCase(),
};
export const broken = { name: "broken", description: "Fails.", handler: () => { throw new Error("at 10.0.0.5"); } };
export const deaf = { name: "deaf", description: "Never ends.", handler: () => new Promise(() => {}) };
export const makeGreeter = ({ greeting = "Hello", loud }) => ({
  name: "greet",
  description: \`Says \${greeting}.\`,
  handler: () => (loud ? \`\${greeting}!\` : greeting),
});
`;

describe("the contract of a source", () => {
  const checks = sourceContract({
    calls: {
      works: { tool: "echo", args: { text: "hi" } },
      fails: { tool: "broken", args: {} },
      hangs: { tool: "deaf", args: {} },
    },
    make: () => {
      const base = makeFolder({ "tools.mjs": ECHO });
      const tools = ["echo", "broken", "deaf"].map((name) => entry(base, `./tools.mjs:${name}`, { name }));
      return { source: createModuleSource({ tools }) };
    },
  });
  for (const { name, check } of checks) test(name, check);
});

test("a use is split at its last colon (N4)", () => {
  expect(parseUse("./a.js:b")).toEqual({ module: "./a.js", exportName: "b" });
  expect(parseUse("file:///a/b.js:c")).toEqual({ module: "file:///a/b.js", exportName: "c" });
  expect(parseUse("C:\\tools\\a.js:c")).toEqual({ module: "C:\\tools\\a.js", exportName: "c" });
  for (const wrong of ["./a.js", ":b", "./a.js:", "", "file:///a/b.js"]) expect(parseUse(wrong)).toBeNull();
});

describe("seed 004, the DeerFlow entry", () => {
  const snippet = { name: "read_file", group: "file:read", use: "deerflow.sandbox.tools:read_file_tool" };

  test("loads from a package of that name, with its group", async () => {
    const base = makeFolder({
      "node_modules/deerflow.sandbox.tools/package.json": '{"name":"deerflow.sandbox.tools","exports":"./index.mjs"}',
      "node_modules/deerflow.sandbox.tools/index.mjs":
        'export const read_file_tool = { name: "read_file", description: "Reads.", handler: () => "text" };',
    });
    const { list, source } = open([{ ...snippet, base, origin: { kind: "default" } }]);
    expect(await list()).toMatchObject([{ name: "read_file", group: "file:read", source: "module" }]);
    expect(source.notices).toEqual([]);
  });

  test("without it, a notice says that it looks like Python", async () => {
    const notices = await noticesOf({ ...snippet, base: makeFolder(), origin: { kind: "default" } });
    expect(notices).toEqual([
      'module.not-found: "read_file" is left out: there is no package "deerflow.sandbox.tools"; it looks like a Python module; name a JavaScript module or package that offers the tool',
    ]);
  });

  test("the tool's own name routes, and a label that differs is told with both names (N3)", async () => {
    const base = makeFolder({ "tools.mjs": ECHO });
    const { list, source, run } = open([entry(base, "./tools.mjs:echo", { name: "say_again" })]);
    expect((await list()).map(({ name }) => name)).toEqual(["echo"]);
    expect(source.notices).toEqual([
      {
        level: "warning",
        code: "tool.name-mismatch",
        text: 'the entry "say_again" brings a tool that calls itself "echo" (use: ./tools.mjs:echo); models and lists know it as "echo"',
        names: ["say_again", "echo"],
        origin: { kind: "file", file: "toolcrib.yaml", line: 3 },
      },
    ]);
    expect(await run("echo", { text: "hi" })).toMatchObject({ textResultForLlm: "HI", resultType: "success" });
  });
});

describe("what an export may be", () => {
  test("a function that takes the options of the entry", async () => {
    const base = makeFolder({ "tools.mjs": ECHO });
    const options = { greeting: "Moin", loud: true };
    const { list, run, source } = open([entry(base, "./tools.mjs:makeGreeter", { name: "greet", options })]);
    expect(await list()).toMatchObject([{ name: "greet", description: "Says Moin." }]);
    expect((await run("greet")).textResultForLlm).toBe("Moin!");
    expect(source.notices).toEqual([]);
  });

  test("a function that promises a tool", async () => {
    const base = makeFolder({
      "a.mjs": 'export const later = async () => ({ name: "later", description: "", handler: () => "ok" });',
    });
    expect(await open([entry(base, "./a.mjs:later", { name: "later" })]).list()).toMatchObject([{ name: "later" }]);
  });

  test("what defineTool returns, also from another copy of the package", async () => {
    const tool = { name: "made", source: "external", description: "d" };
    const base = makeFolder({
      "a.mjs": `export const made = { tool: ${JSON.stringify(tool)}, handler: () => "ok", parse: async (value) => ({ ok: true, args: value }) };`,
    });
    const { list, run } = open([entry(base, "./a.mjs:made", { name: "made" })]);
    expect(await list()).toMatchObject([{ name: "made", source: "module" }]);
    expect((await run("made")).textResultForLlm).toBe("ok");
  });

  test("a default export, under that name", async () => {
    const base = makeFolder({ "a.mjs": 'export default { name: "d", description: "", handler: () => "ok" };' });
    expect(await open([entry(base, "./a.mjs:default", { name: "d" })]).list()).toMatchObject([{ name: "d" }]);
  });

  test("a module of a package, by the path its exports give", async () => {
    const base = makeFolder({
      "project/toolcrib.yaml": "",
      "node_modules/@a/kit/package.json": JSON.stringify({
        exports: {
          "./tools/*": { types: "./x.d.ts", require: "./none.cjs", import: "./lib/*.mjs" },
          ".": [{ browser: "./no.js" }, "./main.mjs"],
        },
      }),
      "node_modules/@a/kit/lib/x.mjs": ECHO,
      "node_modules/@a/kit/main.mjs": ECHO,
      "node_modules/old/package.json": '{"main":"./start"}',
      "node_modules/old/start.js": "exports.echo = { name: 'echo', description: '', handler: () => 'old' };",
    });
    const uses = ["@a/kit/tools/x:echo", "@a/kit:echo", "old:echo"];
    const { list, source } = open(uses.map((use) => entry(`${base}/project`, use, { name: "echo" })));
    expect(await list()).toHaveLength(3);
    expect(source.notices).toEqual([]);
  });

  test("a file URL", async () => {
    const base = makeFolder({ "tools.mjs": ECHO });
    const url = pathToFileURL(`${base}/tools.mjs`).href;
    expect(await open([entry("/", `${url}:echo`, { name: "echo" })]).list()).toHaveLength(1);
  });
});

describe("a failure is a notice of that one tool, with what to do (N4)", () => {
  const files = {
    "tools.mjs": ECHO,
    "throws.mjs": 'throw new Error("no key\\n    at secret (/x.js:1:2)");',
    "syntax.mjs": "export const a = ;",
    "empty.mjs": "",
    "odd.mjs":
      "export const number = 5; export const list = []; export const half = { name: 'x', handler: () => 1, parameters: { type: 'string' } }; export const fn = () => 'text'; export const bad = () => { throw new Error('no token'); };",
    "needs.mjs": 'import "a-package-that-is-not-there"; export const a = 1;',
    "node_modules/closed/package.json": '{"exports":{"./a":"./a.js"}}',
  };
  const cases: readonly (readonly [string, RegExp])[] = [
    ["./tools.mjs", /^module\.invalid-use: .*not of the form module:export; write it like/],
    ["./toolz.mjs:echo", /^module\.not-found: .*no file "\.\/toolz\.mjs" in .*; did you mean "\.\/tools\.mjs"\?$/],
    ["./tools:echo", /did you mean "\.\/tools\.mjs"\?$/],
    ["./gone/far.mjs:echo", /create it, or correct the path$/],
    ["tools.mjs:echo", /no package "tools\.mjs"; for a file beside the configuration write "\.\/tools\.mjs"$/],
    ["no-such-package:echo", /run "npm install no-such-package"/],
    ["closed:echo", /offers nothing under "closed"; look at "exports"/],
    ["./tools.mjs:ecko", /^module\.export-missing: .*exports no "ecko"; did you mean echo\?$/],
    ["./tools.mjs:zzzzzzzz", /it exports broken, deaf, echo, makeGreeter$/],
    ["./tools.mjs:toString", /^module\.export-missing/],
    ["./empty.mjs:a", /it exports nothing$/],
    [
      "./throws.mjs:a",
      /^module\.failed: "t" is left out: \.\/throws\.mjs could not be loaded: Error: no key; correct the module/,
    ],
    ["./syntax.mjs:a", /^module\.failed: /],
    ["./needs.mjs:a", /^module\.failed: .*a-package-that-is-not-there/],
    [
      "./odd.mjs:number",
      /^module\.not-a-tool: .*the export number of \.\/odd\.mjs is a number; export what defineTool/,
    ],
    ["./odd.mjs:list", /is a list;/],
    ["./odd.mjs:half", /is an object with a flaw: the tool "x" cannot be defined: its parameters must be/],
    ["./odd.mjs:fn", /is a function that returned a string/],
    ["./odd.mjs:bad", /^module\.failed: .*no token/],
  ];
  test.each(cases)("%s", async (use, expected) => {
    const base = makeFolder(files);
    const good = entry(base, "./tools.mjs:echo", { name: "echo" });
    const { list, source } = open([entry(base, use, { name: "t" }), good]);
    expect((await list()).map(({ name }) => name)).toEqual(["echo"]);
    expect(source.notices.map(({ code, text }) => `${code}: ${text}`)).toEqual([expect.stringMatching(expected)]);
    expect(source.notices[0]).toMatchObject({ names: ["t"], origin: { file: "toolcrib.yaml", line: 3 } });
    expect(source.notices[0]?.text).not.toMatch(/\n|secret/);
    expect(source.status).toMatchObject({ state: "connected", reason: "1 of 2 module tools could not be loaded" });
  });

  test("options that nobody takes are told, and the tool stays", async () => {
    const base = makeFolder(files);
    const { list, source } = open([entry(base, "./tools.mjs:echo", { name: "echo", options: { loud: true } })]);
    expect(await list()).toHaveLength(1);
    expect(source.notices).toMatchObject([{ code: "module.options-unused" }]);
  });

  test("checkModules reports all of them before any run", async () => {
    const base = makeFolder(files);
    const uses = ["./gone.mjs:a", "./tools.mjs:ecko", "./odd.mjs:number", "./tools.mjs:echo"];
    const tools = uses.map((use) => entry(base, use));
    const notices = await checkModules({ tools });
    expect(notices.map(({ code }) => code)).toEqual([
      "module.not-found",
      "module.export-missing",
      "module.not-a-tool",
      "tool.name-mismatch",
    ]);
  });
});

describe("loading", () => {
  test("happens with the first list, once, and not before", async () => {
    const base = makeFolder({ "tools.mjs": ECHO });
    const load = vi.fn(async () => ({ echo: { name: "echo", description: "", handler: () => "ok" } }));
    const { list } = open([entry(base, "./tools.mjs:echo", { name: "echo" })], { load });
    expect(load).not.toHaveBeenCalled();
    await Promise.all([list(), list()]);
    await list();
    expect(load).toHaveBeenCalledTimes(1);
  });

  test("of a module that hangs delays the others no longer than allowed, and it may still come (C4)", async () => {
    const base = makeFolder({ "slow.mjs": "", "tools.mjs": "" });
    const clock = createFakeClock();
    const slow = deferred();
    const tool = (name: string) => ({ name, description: "", handler: () => "ok" });
    const load = (url: string) => (url.endsWith("slow.mjs") ? slow.promise : Promise.resolve({ a: tool("quick") }));
    const specs = [entry(base, "./slow.mjs:a", { name: "slow" }), entry(base, "./tools.mjs:a", { name: "quick" })];
    const { list, source } = open(specs, { load, clock, loadTimeout: 1_000 });
    const first = list();
    await vi.waitFor(() => expect(clock.pending).toEqual([1_000]));
    clock.advance(1_000);
    expect((await first).map(({ name }) => name)).toEqual(["quick"]);
    expect(source.notices).toMatchObject([{ code: "module.failed", names: ["slow"] }]);
    const told = new Promise<void>((resolve) => source.changes(resolve));
    slow.resolve({ a: tool("slow") });
    await told;
    expect((await list()).map(({ name }) => name)).toEqual(["slow", "quick"]);
    expect(source.notices).toEqual([]);
  });
});

function deferred() {
  let resolve: (value: object) => void = () => {};
  const promise = new Promise<object>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function entry(base: string, use: string, more: Partial<ModuleToolSpec> = {}): ModuleToolSpec {
  return { name: "t", group: null, use, base, origin: { kind: "file", file: "toolcrib.yaml", line: 3 }, ...more };
}

function open(tools: readonly ModuleToolSpec[], more: Partial<ModuleSourceOptions> = {}) {
  const source = createModuleSource({ tools, ...more });
  onTestFinished(() => source.close());
  const list = () => source.list(new AbortController().signal);
  const run = async (name: string, args: Record<string, unknown> = {}) => {
    const tool = (await list()).find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return source.run(tool, args, makeRun());
  };
  return { source, list, run };
}

async function noticesOf(...tools: readonly ModuleToolSpec[]): Promise<readonly string[]> {
  return (await checkModules({ tools })).map(({ code, text }) => `${code}: ${text}`);
}
