import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import type { HookClientName } from "../../guard/hook-clients.ts";

/** What people have in these files: comments, other hooks, keys that mean nothing to us. */
const FILES: Partial<Record<HookClientName, readonly [file: string, text: string]>> = {
  "claude-code": [
    ".claude/settings.json",
    `{
  // how I like it
  "model": "opus",
  "unknownKey": { "deep": [1, 2, { "x": null }] },
  "hooks": {
    "PreToolUse": [
      // my own
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./check.sh" }] }, // keep
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }],
  },
}
`,
  ],
  codex: [
    ".codex/hooks.json",
    '{"hooks":{"PostToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}',
  ],
  "gemini-cli": [
    ".gemini/settings.json",
    '{\r\n\t"theme": "dark", // mine\r\n\t"mcpServers": { "a": { "command": "x" } }\r\n}\r\n',
  ],
  "copilot-cli": [".copilot/config.json", '{ "theme": "dark" }\n'],
  "qwen-code": [".qwen/settings.json", '\ufeff{ /* nothing */ "hooks": {} }'],
  opencode: [".config/opencode/opencode.json", '{ "$schema": "https://opencode.ai/config.json" }\n'],
  cursor: [
    ".cursor/hooks.json",
    '{\n  "version": 1,\n  "hooks": {\n    "beforeShellExecution": [{ "command": "./audit.sh" }],\n    "stop": []\n  }\n}\n',
  ],
  windsurf: [".codeium/windsurf/hooks.json", ""],
  cline: ["Documents/Cline/Hooks/PostToolUse", "#!/bin/sh\nexit 0\n"],
};
const CLIENTS = Object.keys(FILES) as HookClientName[]; // Keys of the table.

function newMachine(files: Readonly<Record<string, string>> = {}) {
  const machine = createWorkspace();
  const path = (file: string) => join(machine.home, file);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  }
  const guard = (...words: readonly string[]) =>
    runCli(["guard", ...words], { cwd: machine.cwd, env: { HOME: machine.home, PATH: "/usr/bin:/bin" } });
  return { ...machine, path, guard, read: (file: string) => readFileSync(path(file), "utf8") };
}

const ALL = Object.fromEntries(Object.values(FILES));

/** Every file below a folder with its text, but for those of Toolcrib's own state. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names
      .filter((name) => !name.startsWith(".local"))
      .map((name) => [name, statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "utf8") : "/"]),
  );
}

test("install writes the hook of each client that is found, twice changes nothing, and remove restores every byte", async () => {
  const machine = newMachine(ALL);
  const before = contentOf(machine.home);
  const { status, out } = await machine.guard("install");
  expect(status).toBe(0);
  for (const client of CLIENTS) expect(out).toContain(client === "claude-code" ? "Claude Code (found ~/.claude)" : "");
  expect(out.split("\n").filter((line) => line.startsWith("Wrote the hook of"))).toHaveLength(CLIENTS.length);
  const written = contentOf(machine.home);
  expect(Object.keys(written).length).toBeGreaterThan(Object.keys(before).length);
  const again = await machine.guard("install");
  expect(again.out).not.toContain("Wrote");
  expect(contentOf(machine.home)).toEqual(written);
  const removed = await machine.guard("remove");
  expect(removed.status).toBe(0);
  expect(contentOf(machine.home)).toEqual(before);
  expect(existsSync(machine.path(".local/state/toolcrib/guard/hook.sh"))).toBe(false);
  expect((await machine.guard("remove")).out).toBe("No client has the hook.\n");
});

test("what was there stays in its place, comments too, and the hook comes behind it", async () => {
  const machine = newMachine(ALL);
  await machine.guard("install", "claude-code,cursor");
  const claude = machine.read(".claude/settings.json");
  expect(claude).toContain("// my own\n");
  expect(claude).toContain('"command": "./check.sh" }] }, // keep\n');
  expect(claude).toMatch(/\/\/ keep\n {6}\{\n {8}"matcher": "\*",/);
  const { hooks } = JSON.parse(machine.read(".cursor/hooks.json"));
  expect(hooks.beforeShellExecution).toEqual([
    { command: "./audit.sh" },
    { command: expect.stringContaining(" cursor || exit 2"), timeout: 10, failClosed: true },
  ]);
  expect(machine.read(".gemini/settings.json")).toBe(ALL[".gemini/settings.json"]);
});

test("each client gets its time-out in its own unit, longer than the hook takes at most", async () => {
  const machine = newMachine();
  await machine.guard("install", ...CLIENTS);
  const timeout = (file: string, ...keys: readonly (string | number)[]) =>
    keys.reduce((at, key) => at[key], JSON.parse(machine.read(file)).hooks);
  expect([
    timeout(".claude/settings.json", "PreToolUse", 0, "hooks", 0, "timeout"),
    timeout(".codex/hooks.json", "PreToolUse", 0, "hooks", 0, "timeout"),
    timeout(".gemini/settings.json", "BeforeTool", 0, "hooks", 0, "timeout"),
    timeout(".copilot/hooks/toolcrib.json", "preToolUse", 0, "timeoutSec"),
    timeout(".qwen/settings.json", "PreToolUse", 0, "hooks", 0, "timeout"),
    timeout(".cursor/hooks.json", "preToolUse", 0, "timeout"),
  ]).toEqual([10, 10, 10_000, 10, 10_000, 10]);
});

test("a person without a rule reads that nothing is refused yet, and where rules go", async () => {
  const machine = newMachine();
  const words = "No permission rule counts in this folder, so calls go on as without Toolcrib.";
  expect((await machine.guard("install", "claude-code")).out).toContain(words);
  const { out } = await machine.guard("status");
  expect(out.replaceAll("\n", " ")).toContain(
    `${words} Rules for every project go into ~/.config/toolcrib/config.yaml; `,
  );
  machine.write("user", 'permissions:\n  deny: ["Bash(rm:*)"]\n');
  expect((await machine.guard("install", "claude-code")).out).not.toContain("No permission rule");
  expect((await machine.guard("status")).out).not.toContain("No permission rule");
});

describe("a file that has changed since", () => {
  test("loses our part and keeps the rest", async () => {
    const machine = newMachine(ALL);
    await machine.guard("install");
    const file = machine.path(".claude/settings.json");
    writeFileSync(file, machine.read(".claude/settings.json").replace('"opus"', '"haiku"'));
    const { out } = await machine.guard("remove", "claude-code");
    expect(out).toContain(
      "Took the hook of Claude Code out of ~/.claude/settings.json; what has changed there since stays.",
    );
    expect(machine.read(".claude/settings.json")).not.toContain("toolcrib");
    expect(machine.read(".claude/settings.json")).toContain('"haiku"');
    expect(machine.read(".claude/settings.json")).toContain("// my own\n");
    // The others still ask.
    expect(machine.read(".gemini/settings.json")).toContain("toolcrib");
    expect(existsSync(machine.path(".local/state/toolcrib/guard/hook.sh"))).toBe(true);
  });

  test("that is a program of ours stays, and remove says so", async () => {
    const machine = newMachine();
    await machine.guard("install", "opencode");
    const plugin = machine.path(".config/opencode/plugins/toolcrib.js");
    writeFileSync(plugin, `${readFileSync(plugin, "utf8")}// mine\n`);
    const { status, out } = await machine.guard("remove", "opencode");
    expect(status).toBe(1);
    expect(out).toContain("take the hook of opencode out by hand");
  });

  test("a hook in one group with others goes alone, also where nothing is known of how it came there", async () => {
    const own = { type: "command", command: "toolcrib hook claude-code || exit 2" };
    const other = { type: "command", command: "./check.sh" };
    const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [own, other] }] } });
    const machine = newMachine({ ".claude/settings.json": text });
    await machine.guard("remove", "claude-code");
    expect(JSON.parse(machine.read(".claude/settings.json"))).toEqual({
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [other] }] },
    });
  });

  test("an older line of ours is replaced and not joined by another", async () => {
    const text = JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "toolcrib hook claude-code || exit 2" }] }] },
    });
    const machine = newMachine({ ".claude/settings.json": text });
    await machine.guard("install", "claude-code");
    const { PreToolUse } = JSON.parse(machine.read(".claude/settings.json")).hooks;
    expect(PreToolUse).toEqual([expect.objectContaining({ matcher: "*" })]);
    await machine.guard("remove", "claude-code");
    expect(machine.read(".claude/settings.json")).toBe(text);
  });
});

test("remove after install is the identity on bytes", async () => {
  const key = fc.oneof(fc.constantFrom("hooks", "PreToolUse", "a"), fc.string({ maxLength: 4 }));
  const hooks = fc.record(
    { PreToolUse: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }) },
    { requiredKeys: [] },
  );
  const content = fc.tuple(
    fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })),
    hooks,
    fc.constantFrom(undefined, 1, 2, "\t"),
  );
  const text = content.map(([rest, own, space]) => JSON.stringify({ ...rest, hooks: own }, null, space));
  const machine = newMachine();
  mkdirSync(machine.path(".claude"), { recursive: true });
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom("", "\n", " // end\n"), fc.boolean(), async (body, end, isCrlf) => {
      const before = isCrlf ? (body + end).replaceAll("\n", "\r\n") : body + end;
      writeFileSync(machine.path(".claude/settings.json"), before);
      const { status } = await machine.guard("install", "claude-code");
      expect([status, machine.read(".claude/settings.json") === before]).toEqual([0, false]);
      await machine.guard("remove", "claude-code");
      expect(machine.read(".claude/settings.json")).toBe(before);
    }),
    { numRuns: 40 },
  );
});

describe("what cannot be written", () => {
  test.each([
    [
      "unreadable JSON",
      "claude-code",
      ".claude/settings.json",
      '{\n  "a": 1,\n  oops\n}\n',
      /settings\.json:3:\d+: .*nothing was written/,
    ],
    [
      "a list where a map belongs",
      "claude-code",
      ".claude/settings.json",
      '{ "hooks": [] }',
      /"hooks\.PreToolUse" is written there in another form; nothing was written/,
    ],
    [
      "a script of somebody else",
      "cline",
      "Documents/Cline/Hooks/PreToolUse",
      "#!/bin/sh\n",
      /was not written by Toolcrib/,
    ],
  ])("%s is left alone, with file and line, and so are all others", async (_, client, file, text, message) => {
    const machine = newMachine({ [file]: text });
    const before = contentOf(machine.home);
    const { status, err } = await machine.guard("install", client, "codex");
    expect(status).not.toBe(0);
    expect(err).toMatch(message);
    expect(contentOf(machine.home)).toEqual(before);
  });

  test("a folder that takes no file is named, and nothing else is written", async () => {
    const machine = newMachine({ ".codex": "a file where the folder belongs" });
    const { status, err } = await machine.guard("install", "claude-code", "codex");
    expect(status).not.toBe(0);
    expect(err).toMatch(/\.codex\/hooks\.json/);
    expect(existsSync(machine.path(".claude"))).toBe(false);
  });

  test("an unknown client is answered with the nearest, and no client with the list", async () => {
    const machine = newMachine();
    expect((await machine.guard("install", "claude")).err).toContain("CLIENT cannot be");
    expect((await machine.guard("install")).err).toContain("no client was found here");
    expect((await machine.guard("instal")).err).toContain('did you mean "install"?');
  });
});

test("installs at the same time end as one", async () => {
  const machine = newMachine(ALL);
  const before = contentOf(machine.home);
  const all = await Promise.all(CLIENTS.map((client) => machine.guard("install", client)));
  expect(all.map(({ status }) => status)).toEqual(CLIENTS.map(() => 0));
  expect((await machine.guard("install")).out).not.toContain("Wrote");
  await machine.guard("remove");
  expect(contentOf(machine.home)).toEqual(before);
});
