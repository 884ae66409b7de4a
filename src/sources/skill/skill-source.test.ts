import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isRunning, makeFolder, makeHost, makeRun } from "../../../test/support/builtin-host.ts";
import { nameList, sourced } from "../../core/codes/origin.ts";
import { sourceContract } from "../contract-suite/source-contract.ts";
import type { RunContext } from "../source.ts";
import { checkSkillModules } from "./run-skill-tool.ts";
import { createSkillSource, type SkillSourceOptions } from "./skill-source.ts";

const json = (value: unknown) => JSON.stringify(value);
const command = (script: string) => ({ command: [process.execPath, "-e", script] });
const tool = (name: string, run: unknown, more: object = {}) =>
  json({ name, description: `Does ${name}.`, parameters: { type: "object" }, run, ...more });
const READ = "let t='';process.stdin.on('data',(d)=>{t+=d}).on('end',()=>{";

const KIT = {
  "kit/skill.json": json({ name: "kit", description: "Tools." }),
  "kit/tools/a-echo.json": tool("echo", command(`${READ}console.log('got '+t.trim())})`)),
  "kit/tools/b-fail.json": tool("fail", command("console.error('no such rule');process.exit(4)")),
  "kit/tools/c-hang.json": tool("hang", command("setInterval(()=>{},1000)")),
};

describe("the contract of a source", () => {
  const checks = sourceContract({
    calls: {
      works: { tool: "echo", args: { text: "hi" } },
      fails: { tool: "fail", args: {} },
      hangs: { tool: "hang", args: {} },
    },
    changes: true,
    make: () => {
      const base = makeFolder(KIT);
      const { source } = open({ base });
      return {
        source,
        change: async () => {
          writeFileSync(join(base, "kit/tools/d-new.json"), tool("new", { mcp: "a/b" }));
          await source.reload();
        },
        repeat: () => source.reload(),
      };
    },
  });
  for (const { name, check } of checks) test(name, check);
});

describe("a tool of a skill", () => {
  test("says where it comes from, and that a command is one, whatever it promises (G5)", async () => {
    const lint = tool("lint", command(""), { traits: { hostShell: false, readOnly: true }, timeout: 500, group: "g" });
    const { list } = open({ base: makeFolder({ "kit/skill.json": json({ name: "kit" }), "kit/tools/x.json": lint }) });
    expect(await list()).toMatchObject([
      {
        name: "lint",
        source: "skill",
        server: "kit",
        description: "Does lint.",
        inputSchema: { type: "object" },
        traits: { hostShell: true, readOnly: true },
        timeout: 500,
        group: "g",
      },
    ]);
  });

  test("that is a command gets its input as JSON, in its own folder, through the sandbox", async () => {
    const script = `${READ}const {input,...rest}={input:JSON.parse(t),cwd:process.cwd(),workspace:process.env.TOOLCRIB_WORKSPACE,secret:process.env.API_TOKEN??null};console.log(JSON.stringify({...rest,input}))})`;
    const base = makeFolder({ "kit/skill.json": "{}", "kit/tools/x.json": tool("x", command(script)) });
    const wrapLaunch = vi.fn((launch) => ({ ...launch, env: { ...launch.env, WRAPPED: "1" } }));
    const host = makeHost(base, { wrapLaunch, env: { ...process.env, API_TOKEN: "s3cret" } });
    const { run } = open({ base, host });
    const { textResultForLlm } = await run("x", { a: [1] });
    const cwd = join(base, "kit");
    expect(JSON.parse(textResultForLlm)).toEqual({ input: { a: [1] }, cwd, workspace: base, secret: null });
    expect(wrapLaunch).toHaveBeenCalledTimes(1);
    expect(wrapLaunch.mock.calls[0]?.[0]).toMatchObject({ cwd, argv: [process.execPath, "-e", script] });
  });

  test("that fails shows what it complained about, without colours", async () => {
    const script = "process.stderr.write('\\u001b[31mno such rule\\u001b[0m\\n');process.exit(4)";
    const { run } = open({ base: makeFolder({ "k/skill.json": "{}", "k/tools/x.json": tool("x", command(script)) }) });
    expect(await run("x")).toMatchObject({
      resultType: "failure",
      textResultForLlm: "The command ended with code 4.\nno such rule",
    });
  });

  test("may answer with a whole result", async () => {
    const script = "console.log(JSON.stringify({textResultForLlm:'no',resultType:'rejected',sessionLog:'log'}))";
    const { run } = open({ base: makeFolder({ "k/skill.json": "{}", "k/tools/x.json": tool("x", command(script)) }) });
    expect(await run("x")).toEqual({ textResultForLlm: "no", resultType: "rejected", sessionLog: "log" });
  });

  test("whose program is missing says so", async () => {
    const files = { "k/skill.json": "{}", "k/tools/x.json": tool("x", { command: ["no-such-program-here"] }) };
    const { run } = open({ base: makeFolder(files) });
    expect((await run("x")).textResultForLlm).toMatch(/could not be run: There is no program "no-such-program-here"/);
  });

  test("leaves no process behind when it is cancelled and closed", async () => {
    const base = makeFolder({ "k/skill.json": "{}", "k/tools/x.json": "" });
    const file = join(base, "pid");
    const script = `require('fs').writeFileSync(${json(file)},String(process.pid));process.on('SIGTERM',()=>{});setInterval(()=>{},1000)`;
    writeFileSync(join(base, "k/tools/x.json"), tool("x", command(script)));
    const { run, source } = open({ base });
    const controller = new AbortController();
    const running = run("x", {}, makeRun(controller.signal));
    await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, "utf8")).toBeTruthy(), { timeout: 5_000 });
    const pid = Number(readFileSync(file, "utf8"));
    controller.abort();
    expect(await running).toMatchObject({ error: "the call was cancelled" });
    await source.close();
    expect(isRunning(pid)).toBe(false);
  });

  test("that is a module runs its handler under the skill's name for it, loaded on the first call", async () => {
    const base = makeFolder({
      "k/skill.json": "{}",
      "k/lib/t.mjs": 'export const t = { name: "inner", description: "", handler: (args) => ({ got: args }) };',
      "k/tools/x.json": tool("x", { use: "./lib/t.mjs:t" }),
    });
    const load = vi.fn((url: string) => import(/* @vite-ignore */ url));
    const { run, list, source } = open({ base, load });
    await list();
    expect(load).not.toHaveBeenCalled();
    expect((await run("x", { a: 1 })).textResultForLlm).toBe('{"got":{"a":1}}');
    await run("x");
    expect(load).toHaveBeenCalledTimes(1);
    expect(await checkSkillModules(source.skills)).toEqual([]);
  });

  test("whose module is broken fails alone, and can be found before", async () => {
    const files = { "k/skill.json": "{}", "k/tools/x.json": tool("x", { use: "./gone.mjs:t" }) };
    const { run, source } = open({ base: makeFolder(files) });
    expect(await run("x")).toMatchObject({
      textResultForLlm: "The tool could not be loaded.",
      error: expect.stringMatching(/there is no file ".\/gone.mjs"/),
    });
    expect(await checkSkillModules(source.skills)).toMatchObject([
      { code: "module.not-found", names: ["x"], origin: { file: "k/tools/x.json", line: 1 } },
    ]);
  });

  test("that stands for an MCP tool goes through the session", async () => {
    const callMcp = vi.fn(async () => ({ textResultForLlm: "issue", resultType: "success" as const }));
    const files = { "k/skill.json": "{}", "k/tools/x.json": tool("x", { mcp: "github/create/issue" }) };
    const base = makeFolder(files);
    expect((await open({ base, callMcp }).run("x", { a: 1 })).textResultForLlm).toBe("issue");
    expect(callMcp).toHaveBeenCalledWith("github", "create/issue", { a: 1 }, expect.anything());
    expect(await open({ base }).run("x")).toMatchObject({ resultType: "failure" });
  });
});

describe("activation", () => {
  const files = {
    "md/SKILL.md": "---\nname: md\ndescription: Waits.\nallowed-tools: Read, Bash(git:*)\n---\nDo it so.\n",
    "js/skill.json": json({ name: "js", prompts: ["p.md"] }),
    "js/p.md": "Always so.",
  };

  test("a skill.json skill is active from load, a SKILL.md one when it is invoked, each told once", async () => {
    const invoked: string[] = [];
    const base = makeFolder(files);
    const { source, list } = open({ base, onInvoked: ({ name }) => void invoked.push(name) });
    await list();
    const told = vi.fn();
    source.changes(told);
    expect(invoked).toEqual(["js"]);
    expect(source.sceneSkills.map(({ name, active }) => [name, active])).toEqual([
      ["js", true],
      ["md", false],
    ]);
    const loaded = { folder: join(base, "md"), prompt: "Do it so." };
    expect(await source.activate("md")).toEqual(loaded);
    expect(await source.activate("md")).toEqual(loaded);
    expect(told).toHaveBeenCalledTimes(1);
    expect(invoked).toEqual(["js", "md"]);
    expect(source.sceneSkills).toEqual([
      {
        name: "js",
        origin: { kind: "file", file: "js/skill.json", line: 1 },
        active: true,
        allowedTools: null,
        prompt: "Always so.",
        description: "",
      },
      {
        name: "md",
        origin: { kind: "file", file: "md/SKILL.md", line: 2 },
        active: true,
        allowedTools: nameList(["Read", "Bash(git:*)"], { kind: "file", file: "md/SKILL.md", line: 4 }),
        prompt: "Do it so.",
        description: "Waits.",
      },
    ]);
  });

  test("of a skill that is not there answers with the nearest names", async () => {
    const { source } = open({ base: makeFolder(files) });
    expect(await source.activate("mdd")).toEqual({ unknown: ["md"] });
    expect(await source.activate("something else")).toEqual({ unknown: ["js", "md"] });
  });

  test("preloaded skills are active, and one that is not there fails closed with a notice", async () => {
    const origin = { kind: "file", file: "toolcrib.yaml", line: 9 } as const;
    const preloaded = [sourced("md", origin), sourced("mdx", origin)];
    const { source, list } = open({ base: makeFolder(files), preloaded });
    await list();
    expect(source.sceneSkills).toMatchObject([
      { name: "js", active: true },
      { name: "md", active: true },
      { name: "mdx", active: true, allowedTools: { value: [], origin }, origin },
    ]);
    expect(source.notices).toMatchObject([{ code: "skill.unknown", names: ["mdx"], origin }]);
    const told = vi.fn();
    source.changes(told);
    source.setPreloaded([]);
    expect(told).toHaveBeenCalledTimes(1);
    expect(source.sceneSkills.map(({ active }) => active)).toEqual([true, false]);
  });

  test("the scene's list stays the same object until something changes", async () => {
    const { source, list } = open({ base: makeFolder(files) });
    await list();
    const before = source.sceneSkills;
    await source.activate("js");
    expect(source.sceneSkills).toBe(before);
  });
});

test("a reload follows the folders and keeps what did not change", async () => {
  const base = makeFolder(KIT);
  const { source, list } = open({ base });
  const before = await list();
  rmSync(join(base, "kit/tools/b-fail.json"));
  writeFileSync(join(base, "kit/tools/c-hang.json"), tool("hang", { mcp: "a/b" }));
  await source.reload();
  const after = await list();
  expect(after.map(({ name }) => name)).toEqual(["echo", "hang"]);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[2]);
});

function open(more: Partial<SkillSourceOptions> & { readonly base: string }) {
  const source = createSkillSource({
    directories: [sourced(".")],
    home: "/nowhere",
    host: makeHost(more.base),
    callMcp: null,
    ...more,
  });
  onTestFinished(() => source.close());
  const list = () => source.list(new AbortController().signal);
  const run = async (name: string, args: Record<string, unknown> = {}, context: RunContext = makeRun()) => {
    const found = (await list()).find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}: ${json(source.notices)}`);
    return source.run(found, args, context);
  };
  return { source, list, run };
}
