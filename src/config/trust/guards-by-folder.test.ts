import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { loadConfig, trustWorkspace } from "../load-config.ts";

const RULES = 'permissions: { allow: [view], deny: ["Bash(rm:*)"] }\n';
const HOOK = 'hooks: { preToolUse: [{ matcher: bash, command: "./guard.sh" }] }\n';

function repository(files: Readonly<Record<string, string>>) {
  const workspace = createWorkspace(files);
  const { cwd, input } = workspace;
  mkdirSync(join(cwd, "sub/deep"), { recursive: true });
  const at = (folder: string) => ({ ...input(), cwd: join(cwd, folder) });
  const held = async (folder: string) => {
    const { permissions, hooks } = await loadConfig(at(folder));
    return [
      ...permissions.deny.filter(({ origin }) => origin.kind === "trust").map(({ value }) => value.text),
      ...(hooks.get("preToolUse") ?? []).flatMap((hook) => (hook.refusal === undefined ? [] : [hook.command])),
    ];
  };
  return { ...workspace, at, held, remove: (path: string) => rmSync(join(cwd, path)) };
}

test("guards of a folder hold in it and below after its file went, and nowhere else, until a person decides", async () => {
  const { at, held, remove } = repository({ "sub/toolcrib.yaml": RULES + HOOK });
  await trustWorkspace(at("sub"));
  expect(await held("sub")).toEqual([]);
  remove("sub/toolcrib.yaml");
  expect(await held("sub")).toEqual(["Bash(rm:*)", "./guard.sh"]);
  expect(await held("sub/deep")).toEqual(["Bash(rm:*)", "./guard.sh"]);
  expect(await held("")).toEqual([]);
  const { trust, notices } = await loadConfig(at("sub"));
  expect(trust.state).toBe("changed");
  expect(notices.map(({ text }) => text).join()).toContain(`was trusted in ${at("sub").cwd} and is changed or gone`);
  await trustWorkspace(at("sub"), ({ name }) => name === "./guard.sh");
  expect(await held("sub")).toEqual(["Bash(rm:*)"]);
  await trustWorkspace(at("sub"));
  expect(await held("sub")).toEqual([]);
});

test("a file that comes nearer puts no guards aside before somebody trusts it", async () => {
  const { at, held, write } = repository({ "toolcrib.yaml": RULES });
  await trustWorkspace(at(""));
  expect(await held("sub")).toEqual([]);
  write("sub/toolcrib.yaml", "excludeTools: [glob]\n");
  expect(await held("sub/deep")).toEqual(["Bash(rm:*)"]);
  expect(await held("")).toEqual([]);
  // The same rule in the nearer file stands for it.
  write("sub/toolcrib.yaml", 'permissions: { deny: ["Bash(rm:*)"] }\n');
  expect(await held("sub")).toEqual([]);
  write("sub/toolcrib.yaml", "mcpServers: { s: { command: x } }\n");
  await trustWorkspace(at("sub"), ({ name }) => name === "s");
  expect(await held("sub")).toEqual(["Bash(rm:*)"]);
  await trustWorkspace(at("sub"));
  expect(await held("sub")).toEqual([]);
});

test("what was trusted from a folder below denies nothing above it, and stays trusted when the root is", async () => {
  const deny = JSON.stringify({ permissions: { deny: ["Bash(git push:*)"], allow: ["Bash(ls:*)"] } });
  const { at, held, remove } = repository({ "toolcrib.yaml": RULES, "sub/.claude/settings.json": deny });
  await trustWorkspace(at("sub"));
  expect(await held("")).toEqual([]);
  expect((await loadConfig(at(""))).trust).toMatchObject({ state: "trusted", gone: [] });
  await trustWorkspace(at(""));
  expect((await loadConfig(at("sub"))).trust.state).toBe("trusted");
  remove("sub/.claude/settings.json");
  expect(await held("sub/deep")).toEqual(["Bash(git push:*)"]);
  expect(await held("")).toEqual([]);
});

test("a person's own guards are not a project's: they may go", async () => {
  const { at, held, write } = repository({ "toolcrib.yaml": RULES, user: "permissions: { deny: [web_fetch] }\n" });
  await trustWorkspace(at(""));
  write("user", "{}");
  expect(await held("")).toEqual([]);
});
