import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRunning, makeFolder, makeHost, makeRun } from "../../../test/support/builtin-host.ts";
import { needs } from "../../../test/support/machine.ts";
import { toTool } from "../../core/tool/tool.ts";
import { sourceContract } from "../contract-suite/source-contract.ts";
import type { Host } from "../host.ts";
import { createBuiltinSource } from "./builtin-source.ts";
import { BUILTIN_TOOLS, BUILTINS } from "./definitions.ts";

describe("the source of built-in tools", () => {
  test("lists every definition, and is connected from the start", async () => {
    const { source } = start();
    expect(await source.list(new AbortController().signal)).toBe(BUILTIN_TOOLS);
    expect(source.status.state).toBe("connected");
  });

  test("runs tools of several families", needs("bash"), async () => {
    const { run } = start();
    expect(await run("bash", { command: "echo hi > file.txt" })).toMatchObject({ resultType: "success" });
    expect(await run("grep", { pattern: "hi" })).toMatchObject({ textResultForLlm: "file.txt" });
    expect(await run("glob", { pattern: "*" })).toMatchObject({ textResultForLlm: "file.txt" });
  });

  test("keeps what runs in the background from call to call", needs("bash"), async () => {
    const { run } = start();
    await run("bash", { command: "sleep 1000", mode: "background" });
    expect((await run("list_bash", {})).textResultForLlm).toContain("sleep 1000");
  });

  test("has nothing to share with another session", needs("bash"), async () => {
    const [one, other] = [start(), start()];
    await one.run("bash", { command: "sleep 1000", mode: "background" });
    expect((await other.run("list_bash", {})).textResultForLlm).toBe("No command is running.");
  });

  test("answers for a tool that it does not have", async () => {
    expect(await start().run("no_such_tool", {})).toMatchObject({ resultType: "failure" });
  });

  test("tells the model nothing about a bug", async () => {
    const wrapLaunch = () => {
      throw new Error("secret path");
    };
    const result = await start({ wrapLaunch }).run("bash", { command: "true" });
    expect(result).toMatchObject({ resultType: "failure", error: "secret path" });
    expect(result.textResultForLlm).not.toContain("secret");
  });

  test("closing ends calls and commands, and leaves no process", needs("bash"), async () => {
    const hang = (file: string) => ["sh", "-c", `trap '' TERM; echo $$ > ${file}; while :; do sleep 1; done`];
    const checks = [{ name: "hang", command: hang("check.pid"), timeout: null }];
    const { source, run, workspace } = start({ checks });
    const calls = [
      run("validate", {}),
      run("bash", { command: "echo $$ > fore.pid; sleep 1000; sleep 1000", initial_wait: 600 }),
      run("bash", { command: "echo $$ > back.pid; sleep 1000; sleep 1000", mode: "background" }),
    ];
    const files = ["check.pid", "fore.pid", "back.pid"].map((file) => join(workspace, file));
    const pids = () => files.map((file) => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0));
    await expect.poll(() => pids().filter((pid) => pid > 0 && isRunning(pid)), { timeout: 5_000 }).toHaveLength(3);
    await source.close();
    expect(pids().filter(isRunning)).toEqual([]);
    expect((await Promise.all(calls)).map(({ resultType }) => resultType)).toEqual(["failure", "failure", "success"]);
    expect(await run("bash", { command: "true" })).toMatchObject({ textResultForLlm: "The session is closed." });
    await source.close();
  });
});

describe("as any source, it", needs("bash"), () => {
  const checks = sourceContract({
    make: () => {
      const workspace = mkdtempSync(join(tmpdir(), "toolcrib-"));
      return {
        source: createBuiltinSource(makeHost(workspace)),
        dispose: () => rmSync(workspace, { recursive: true, force: true }),
      };
    },
    calls: {
      works: { tool: "bash", args: { command: "echo works" } },
      fails: { tool: "bash", args: { command: "exit 1" } },
      misfits: { tool: "bash", args: { command: 5 } },
      hangs: { tool: "bash", args: { command: "sleep 1000", initial_wait: 600 } },
    },
  });
  for (const { name, check } of checks) test(name, check);
});

describe("families", () => {
  test("have a handler for each tool", async () => {
    for (const { tool, load } of BUILTINS) {
      const family = await load();
      onTestFinished(() => family.close());
      expect(family.handlers.get(tool.name), tool.name).toBeTypeOf("function");
    }
  });
});

function start(more: Partial<Host> = {}) {
  const workspace = makeFolder();
  const source = createBuiltinSource(makeHost(workspace, more));
  onTestFinished(() => source.close());
  const run = (name: string, args: Record<string, unknown>) => {
    const tool = BUILTIN_TOOLS.find((candidate) => candidate.name === name) ?? toTool({ name });
    return source.run(tool, args, makeRun());
  };
  return { source, run, workspace };
}
