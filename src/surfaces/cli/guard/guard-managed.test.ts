import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";

const POLICY = `permissions:
  deny:
    - Bash(rm -rf:*)
    - Bash(curl)
    - WebFetch(domain:evil.example)
    - Read(**/.env)
    - Read(.npmrc)
    - Edit(~/.ssh/**)
    - Write(~/.ssh/**)
    - github/delete_repo
    - "*/drop_*"
`;

/** What an administrator has there already. */
const FILES = {
  "etc/codex/requirements.toml":
    '# ours\nallowed_sandbox_modes = ["read-only"]\n\n[features] # pinned\nweb = false\n\n# rules\n[[rules.prefix_rules]]\npattern = [{ token = "dd" }]\ndecision = "forbidden"\n',
  "etc/gemini-cli/settings.json": '{\n  // ours\n  "telemetry": { "enabled": false }\n}\n',
  "etc/opencode/opencode.json": '{ "plugin": ["file:///etc/opencode/own.js"], "share": "disabled" }',
  "etc/cursor/hooks.json": '{ "version": 1, "hooks": { "stop": [{ "command": "x" }] } }\n',
};

function newRoot(policy: string | null = POLICY) {
  const machine = createWorkspace();
  const root = join(machine.root, "image");
  const path = (file: string) => join(root, file);
  const put = (file: string, text: string) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  };
  for (const [file, text] of Object.entries(FILES)) put(file, text);
  if (policy !== null) put("etc/toolcrib/policy.yaml", policy);
  const guard = (...words: readonly string[]) =>
    runCli(["guard", ...words, "--managed", "--root", root], {
      cwd: machine.cwd,
      env: { HOME: machine.home, PATH: "/usr/bin:/bin" },
    });
  const read = (file: string) => readFileSync(path(file), "utf8");
  return { ...machine, root, path, put, read, guard };
}

function contentOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith("var"));
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

describe("the machine's files", () => {
  test("get the hook and what keeps it on, and lose both again to the byte", async () => {
    const machine = newRoot();
    const before = contentOf(machine.root);
    const { status, out } = await machine.guard("install");
    expect(status).toBe(0);
    expect(out).toContain("Cline has no file for this.");
    const claude = JSON.parse(machine.read("etc/claude-code/managed-settings.d/toolcrib.json"));
    const line = "/bin/sh -c '. \"$0\"; exit 2' /var/lib/toolcrib/guard/hook.sh claude-code || exit 2";
    expect(claude.hooks.PreToolUse).toEqual([
      { matcher: "*", hooks: [{ type: "command", command: line, timeout: 10 }] },
    ]);
    const codex = parse(machine.read("etc/codex/requirements.toml"));
    expect(codex).toMatchObject({ features: { web: false, hooks: true }, allowed_sandbox_modes: ["read-only"] });
    expect(codex.hooks).toEqual({
      PreToolUse: [{ matcher: ".*", hooks: [expect.objectContaining({ type: "command", timeout: 10 })] }],
    });
    expect(machine.read("etc/codex/requirements.toml")).toContain(
      "[features] # pinned\nhooks = true\nweb = false\n\n# rules\n",
    );
    expect(JSON.parse(machine.read("etc/qwen-code/settings.json")).disableAllHooks).toBe(false);
    expect(machine.read("etc/gemini-cli/settings.json")).toContain('// ours\n  "telemetry"');
    expect(JSON.parse(machine.read("etc/opencode/opencode.json")).plugin).toEqual([
      "file:///etc/opencode/own.js",
      "file:///etc/opencode/toolcrib.js",
    ]);
    expect(existsSync(machine.path("etc/opencode/toolcrib.js"))).toBe(true);
    // Everybody's clients run it.
    expect(statSync(machine.path("var/lib/toolcrib/guard/hook.sh")).mode & 0o777).toBe(0o644);
    expect(statSync(machine.path("var/lib/toolcrib/guard")).mode & 0o777).toBe(0o755);
    expect((await machine.guard("install")).out).not.toContain("Wrote");
    await machine.guard("remove");
    expect(contentOf(machine.root)).toEqual(before);
    expect(existsSync(machine.path("etc/claude-code"))).toBe(false);
  });

  test("that have changed since lose only what was written", async () => {
    const machine = newRoot();
    await machine.guard("install");
    for (const file of Object.keys(FILES)) {
      const text = machine.read(file);
      machine.put(
        file,
        text.endsWith("}") ? `${text}\n` : file.endsWith(".toml") ? `${text}\n[more]\na = 1\n` : `${text}\n`,
      );
    }
    await machine.guard("remove");
    expect(parse(machine.read("etc/codex/requirements.toml"))).toEqual({
      ...parse(FILES["etc/codex/requirements.toml"]),
      more: { a: 1 },
    });
    expect(machine.read("etc/codex/requirements.toml").startsWith(FILES["etc/codex/requirements.toml"])).toBe(true);
    expect(JSON.parse(machine.read("etc/opencode/opencode.json"))).toEqual(
      JSON.parse(FILES["etc/opencode/opencode.json"]),
    );
    expect(JSON.parse(machine.read("etc/cursor/hooks.json"))).toEqual(JSON.parse(FILES["etc/cursor/hooks.json"]));
    expect(machine.read("etc/gemini-cli/settings.json")).not.toContain("toolcrib");
  });
});

describe("deny rules of the machine's policy", () => {
  test("stand in each client's own language where they mean the same there, and the rest is named", async () => {
    const machine = newRoot();
    const { out } = await machine.guard("install");
    expect(JSON.parse(machine.read("etc/claude-code/managed-settings.d/toolcrib.json")).permissions.deny).toEqual([
      "Bash(rm -rf:*)",
      "Bash(curl)",
      "WebFetch(domain:evil.example)",
      "Read(**/.env)",
      "Edit(~/.ssh/**)",
      "mcp__github__delete_repo",
    ]);
    expect(parse(machine.read("etc/codex/requirements.toml")).rules).toEqual({
      prefix_rules: [
        { pattern: [{ token: "dd" }], decision: "forbidden" },
        { pattern: [{ token: "rm" }, { token: "-rf" }], decision: "forbidden" },
      ],
    });
    expect(parse(machine.read("etc/gemini-cli/policies/toolcrib.toml")).rule).toEqual([
      { toolName: "run_shell_command", commandPrefix: "rm -rf", decision: "deny", priority: 999 },
    ]);
    // A rule about one command would take the place of a person's "ask" for all of them.
    expect(JSON.parse(machine.read("etc/opencode/opencode.json")).permission).toBeUndefined();
    expect(out).toContain("Claude Code has 7 of 9 deny rules in its own language too; not Read(.npmrc), */drop_*.");
    expect(out).toContain("The hook alone holds them at Copilot CLI, Qwen Code, Cursor, Windsurf.");
  });

  test("go with the next install once the policy has them no longer", async () => {
    const machine = newRoot();
    await machine.guard("install");
    machine.put("etc/toolcrib/policy.yaml", "permissions:\n  deny: [Bash]\n");
    await machine.guard("install");
    expect(JSON.parse(machine.read("etc/claude-code/managed-settings.d/toolcrib.json")).permissions).toEqual({
      deny: ["Bash"],
    });
    expect(JSON.parse(machine.read("etc/opencode/opencode.json")).permission).toEqual({ bash: "deny" });
    expect(parse(machine.read("etc/gemini-cli/policies/toolcrib.toml"))).toMatchObject({
      rule: [{ toolName: "run_shell_command" }],
    });
    machine.put("etc/toolcrib/policy.yaml", "permissions:\n  ask: [Bash]\n");
    const { out } = await machine.guard("install");
    expect(out).toContain("has no deny rules for their own languages");
    expect(existsSync(machine.path("etc/gemini-cli/policies"))).toBe(false);
    expect(parse(machine.read("etc/codex/requirements.toml")).rules).toEqual(
      parse(FILES["etc/codex/requirements.toml"]).rules,
    );
    await machine.guard("remove");
    expect(machine.read("etc/codex/requirements.toml")).toBe(FILES["etc/codex/requirements.toml"]);
  });

  test("of a person are not everybody's", async () => {
    const machine = newRoot(null);
    machine.write("user", "permissions:\n  deny: [Bash]\n");
    await machine.guard("install");
    expect(JSON.parse(machine.read("etc/claude-code/managed-settings.d/toolcrib.json")).permissions).toBeUndefined();
  });

  test("that cannot be read stop everything, with file and line", async () => {
    const machine = newRoot("permissions:\n  denny: []\n");
    const before = contentOf(machine.root);
    const { status, err } = await machine.guard("install");
    expect([status, contentOf(machine.root)]).toEqual([expect.any(Number), before]);
    expect(err).toMatch(/policy\.yaml:2: unknown key "denny"/);
  });
});

test("a file of the machine that writes a list in another form is left alone, and nothing else is written", async () => {
  const machine = newRoot();
  machine.put("etc/codex/requirements.toml", "hooks = { PreToolUse = [] }\n");
  const before = contentOf(machine.root);
  const { err } = await machine.guard("install");
  expect(err).toContain('"hooks.PreToolUse" is written there in another form; nothing was written');
  expect(contentOf(machine.root)).toEqual(before);
});

test("a repository's own files name no place of this machine, and what the repository can switch off is said", async () => {
  const { cwd, home } = createWorkspace();
  const guard = (...words: readonly string[]) =>
    runCli(["guard", ...words], { cwd, env: { HOME: home, PATH: "/usr/bin:/bin" } });
  const { out } = await guard("install", "--project", "claude-code", "copilot-cli", "opencode", "cline");
  expect(out).toContain(
    "They are also turned off by disableAllHooks in .claude/settings.json or .claude/settings.local.json.",
  );
  expect(out).toContain("Everybody needs toolcrib on the PATH of their clients");
  const files = [
    ".claude/settings.json",
    ".github/hooks/toolcrib.json",
    ".opencode/plugins/toolcrib.js",
    ".clinerules/hooks/PreToolUse",
  ];
  for (const file of files) {
    const text = readFileSync(join(cwd, file), "utf8");
    expect(text).toContain("toolcrib hook ");
    expect(text).not.toContain(home);
  }
  await guard("remove", "--project");
  expect(files.filter((file) => existsSync(join(cwd, dirname(file))))).toEqual([]);
});

test("options that do not go together are refused", async () => {
  const { cwd, home } = createWorkspace();
  const guard = async (...words: readonly string[]) =>
    (await runCli(["guard", ...words], { cwd, env: { HOME: home } })).err;
  expect(await guard("install", "--project", "--managed")).toContain("do not go together");
  expect(await guard("install", "--root", "/x")).toContain("--root goes with --managed");
  expect(await guard("install", "--managed", "--root", "x")).toContain("absolute path");
  expect(await guard("status", "--managed")).toContain("guard status looks at all files");
});
