import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";

const CLIENTS = Object.keys(HOOK_CLIENTS) as HookClientName[]; // Keys of the table.

function newMachine() {
  const machine = createWorkspace({ user: 'permissions:\n  deny: ["Bash(rm:*)"]\n' });
  const env = { HOME: machine.home, PATH: `${join(machine.root, "bin")}:/usr/bin:/bin` };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  return {
    ...machine,
    path: (file: string) => join(machine.home, file),
    put: write,
    program: (name: string, text: string) => {
      write(join(machine.root, "bin", name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(machine.root, "bin", name), 0o755);
    },
    guard: (...words: readonly string[]) => runCli(["guard", ...words], { cwd: machine.cwd, env, columns: 80 }),
    status: async (...clients: readonly string[]) => {
      const { status, out } = await runCli(["guard", "status", ...clients, "--json"], { cwd: machine.cwd, env });
      return { status, ...JSON.parse(out) };
    },
    run: (argv: readonly string[]) => runCli(argv, { cwd: machine.cwd, env }),
  };
}

test("each installed guard is asked as its client would, and answers in the form that the client reads", async () => {
  const machine = newMachine();
  const others = CLIENTS.filter((client) => client !== "codex");
  await machine.guard("install", ...others);
  const { status, ok, clients } = await machine.status();
  expect([status, ok]).toEqual([0, true]);
  const states = clients.map(({ client, guards }: { client: string; guards: { state: string; side: string }[] }) => [
    client,
    ...guards.flatMap(({ side, state }) => [side, state]),
  ]);
  expect(states).toEqual(others.map((client) => [client, "user", "holds"]));
});

test("the table fits in 80 columns, and says what runs in spite of a guard", async () => {
  const machine = newMachine();
  machine.program("claude", "echo '2.1.197 (Claude Code)'");
  machine.program("gemini", "echo 9.9.9");
  await machine.guard("install", "claude-code");
  await machine.run(["hook", "claude-code"]);
  const { status, out } = await machine.guard("status");
  expect(status).toBe(0);
  expect(out.replace(/ +ANSWER/, "  ANSWER").replace(/ +\d+ ms/, "  61 ms")).toMatchInlineSnapshot(`
    "CLIENT       VERSION  FILES  GUARD  ANSWER  LAST CALL
    claude-code  2.1.197  user   holds  61 ms
    gemini-cli   9.9.9           none

    Claude Code (tried with 2.1.197)
      - user: ~/.claude/settings.json
      - it goes on with a call whose hook is killed, or takes longer than the
        time-out in its file
      - another hook may change a call after this one has judged it
      - claude --bare runs no hooks; managed deny rules still count
      - claude --setting-sources project leaves your own hooks out
      - a repository can turn it off by disableAllHooks in .claude/settings.json or
        .claude/settings.local.json; this one does not

    No guard: "toolcrib guard install gemini-cli" writes one.
    "
  `);
  for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

describe("a guard that does not hold", () => {
  const guardOf = async (machine: ReturnType<typeof newMachine>, client = "claude-code") => {
    const { status, clients } = await machine.status(client);
    return { status, ...clients[0]?.guards[0] };
  };

  test("because its script is gone, refuses everything and says so", async () => {
    const machine = newMachine();
    await machine.guard("install", "claude-code");
    rmSync(machine.path(".local/state/toolcrib/guard/hook.sh"));
    expect(await guardOf(machine)).toMatchObject({ status: 1, state: "refuses" });
  });

  test("because the configuration has a mistake, refuses everything and names the line", async () => {
    const machine = newMachine();
    await machine.guard("install", "gemini-cli");
    machine.write("user", "permissions:\n  denny: []\n");
    const found = await guardOf(machine, "gemini-cli");
    expect(found).toMatchObject({ status: 1, state: "refuses" });
    expect(found.why).toContain("config.yaml:2");
  });

  test("because somebody took its last words, is open", async () => {
    const machine = newMachine();
    await machine.guard("install", "claude-code");
    const file = machine.path(".claude/settings.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("/bin/sh -c", "/nowhere/sh -c").replace(" || exit 2", ""));
    expect(await guardOf(machine)).toMatchObject({ status: 1, state: "open", why: expect.stringContaining("127") });
  });

  test("because it is asked about some tools only", async () => {
    const machine = newMachine();
    await machine.guard("install", "claude-code", "cursor");
    const claude = machine.path(".claude/settings.json");
    writeFileSync(claude, readFileSync(claude, "utf8").replace('"*"', '"Bash"'));
    expect(await guardOf(machine)).toMatchObject({ status: 1, state: "partial" });
    const cursor = machine.path(".cursor/hooks.json");
    writeFileSync(cursor, readFileSync(cursor, "utf8").replace("beforeReadFile", "afterReadFile"));
    const found = await guardOf(machine, "cursor");
    expect(found).toMatchObject({ status: 1, state: "partial", why: expect.stringContaining("hooks.beforeReadFile") });
  });

  test.each([
    ["claude-code", ".claude/settings.local.json", '{ "disableAllHooks": true } // quick'],
    ["gemini-cli", ".gemini/settings.json", '{ "hooksConfig": { "disabled": ["toolcrib"] } }'],
    ["gemini-cli", ".gemini/settings.json", '{ "hooksConfig": { "enabled": false } }'],
    ["qwen-code", ".qwen/settings.json", '{ "disableAllHooks": true }'],
  ])("because this repository turns it off at %s", async (client, file, text) => {
    const machine = newMachine();
    await machine.guard("install", client);
    machine.write(file, text);
    const found = await guardOf(machine, client);
    expect(found).toMatchObject({ status: 1, state: "off", why: expect.stringContaining(file) });
  });

  test.each([
    [
      "claude-code",
      ".claude/settings.json",
      (text: string) => text.replace("{", "{\n  // mine"),
      "line 2 has a comment",
    ],
    ["qwen-code", ".qwen/settings.json", (text: string) => text.replace("]", ",]"), "has a comma behind the last item"],
    [
      "copilot-cli",
      ".copilot/hooks/toolcrib.json",
      (text: string) => `\ufeff${text}`,
      "line 1 begins with a byte order",
    ],
    [
      "codex",
      ".codex/hooks.json",
      (text: string) => text.replace("{", '{\n  "mine": 1,'),
      'line 2 has something beside "hooks"',
    ],
    ["gemini-cli", ".gemini/settings.json", (text: string) => text.slice(0, -4), "it has a mistake"],
  ])("because %s does not read a file in this form", async (client, file, change, why) => {
    const machine = newMachine();
    await machine.guard("install", client);
    writeFileSync(machine.path(file), change(readFileSync(machine.path(file), "utf8")));
    const found = await guardOf(machine, client);
    expect(found).toMatchObject({ status: 1, state: "unread", why: expect.stringContaining(why) });
    // A person who has it written then is warned at once.
    if (why !== "it has a mistake") {
      await machine.guard("remove", client);
      machine.put(machine.path(file), change('{\n  "a": [1]\n}\n'));
      expect((await machine.guard("install", client)).out).toMatch(/does not run: take that out of the file/);
    }
  });

  test("stands once where the home folder is the one that is worked in", async () => {
    const machine = newMachine();
    const here = { cwd: machine.home, env: { HOME: machine.home, PATH: "/usr/bin:/bin" } };
    await runCli(["guard", "install", "claude-code"], here);
    const { status, out } = await runCli(["guard", "status", "--json"], here);
    expect([status, JSON.parse(out).clients[0].guards.length]).toEqual([0, 1]);
    expect((await runCli(["guard", "install", "--project", "claude-code"], here)).err).toContain("your home folder");
  });

  test("is a finding of doctor, and one that holds is told", async () => {
    const machine = newMachine();
    await machine.guard("install", "claude-code", "qwen-code");
    machine.write(".qwen/settings.json", '{ "disableAllHooks": true }');
    const { status, out } = await machine.run(["doctor", "--json"]);
    const { findings } = JSON.parse(out);
    expect(status).toBe(1);
    expect(findings.filter(({ code }: { code: string }) => code.startsWith("guard."))).toEqual([
      expect.objectContaining({ level: "info", code: "guard.holds", names: ["claude-code"] }),
      expect.objectContaining({ level: "error", code: "guard.broken", names: ["qwen-code"] }),
    ]);
  });
});

test("nothing that a repository wrote is run to see whether it answers", async () => {
  const machine = newMachine();
  const line = "touch ran.txt; toolcrib hook claude-code || exit 2";
  const hooks = { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: line }] }] };
  machine.write(".claude/settings.json", JSON.stringify({ hooks }));
  machine.write(".clinerules/hooks/PreToolUse", '#!/bin/sh\n# Written by "toolcrib guard install"\ntouch ran.txt\n');
  chmodSync(join(machine.cwd, ".clinerules/hooks/PreToolUse"), 0o755);
  const { status, clients } = await machine.status("claude-code", "cline");
  expect(status).toBe(1);
  for (const { guards } of clients)
    expect(guards).toEqual([expect.objectContaining({ side: "project", state: "partial", took: null })]);
  expect(() => readFileSync(join(machine.cwd, "ran.txt"))).toThrow();
});

test("the last call that a guard has judged is shown, and that of guard status is not", async () => {
  const machine = newMachine();
  await machine.guard("install", "claude-code");
  await machine.status();
  expect((await machine.status()).clients[0].last).toBeNull();
  const event = {
    session_id: "s1",
    cwd: machine.cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "rm x" },
  };
  const { command } = JSON.parse(readFileSync(machine.path(".claude/settings.json"), "utf8")).hooks.PreToolUse[0]
    .hooks[0];
  const out = execFileSync("/bin/sh", ["-c", command], {
    input: JSON.stringify(event),
    env: { HOME: machine.home, PATH: "/usr/bin:/bin" },
    cwd: machine.cwd,
  });
  expect(out.toString()).toContain('"permissionDecision":"deny"');
  expect((await machine.status()).clients[0].last).toMatchObject({ tool: "Bash", decision: "deny" });
});

describe("Codex", () => {
  /** Speaks what `codex app-server` speaks: it trusts a hook by the hash of its text. */
  const APP_SERVER = `exec node -e '
const { readFileSync, writeFileSync, existsSync } = require("node:fs");
const folder = process.env.HOME + "/.codex/", state = folder + "config.toml", file = folder + "hooks.json";
const key = file + ":pre_tool_use:0:0";
const hooks = () => {
  if (!existsSync(file)) return [];
  const { command } = JSON.parse(readFileSync(file, "utf8")).hooks.PreToolUse[0].hooks[0];
  const currentHash = "sha256:" + command.length;
  const isTrusted = existsSync(state) && readFileSync(state, "utf8").includes(currentHash);
  return [{ key, currentHash, command, sourcePath: file, trustStatus: isTrusted ? "trusted" : "untrusted" }];
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "config/batchWrite") {
    const [[name, { trusted_hash }]] = Object.entries(params.edits[0].value);
    writeFileSync(state, readFileSync(state, "utf8") + "\\n[hooks.state]\\n\\n[hooks.state.\\"" + name + "\\"]\\ntrusted_hash = \\"" + trusted_hash + "\\"\\n");
  }
  if (id !== undefined) console.log(JSON.stringify({ id, result: method === "hooks/list" ? { data: [{ hooks: hooks() }] } : {} }));
});
'`;

  test("is made to trust the hook, and forgets it when the hook goes, with every byte of its settings as before", async () => {
    const machine = newMachine();
    machine.program("codex", `[ "$1" = --version ] && echo codex-cli 0.169.0 && exit\n${APP_SERVER}`);
    const settings = 'model = "m" # mine\n\n[profiles.a]\nmodel = "n"\n';
    machine.put(machine.path(".codex/config.toml"), settings);
    const { out } = await machine.guard("install", "codex");
    expect(out).toContain("Codex trusts it.");
    const { status, clients } = await machine.status("codex");
    expect([status, clients[0].version, clients[0].guards[0].state]).toEqual([0, "0.169.0", "holds"]);
    // Its own settings change all the time.
    const file = machine.path(".codex/config.toml");
    writeFileSync(file, readFileSync(file, "utf8").replace('"m"', '"other"'));
    await machine.guard("remove", "codex");
    expect(readFileSync(file, "utf8")).toBe(settings.replace('"m"', '"other"'));
  });

  test("that trusts a repository lets it turn hooks off, and no other", async () => {
    const machine = newMachine();
    machine.program("codex", `[ "$1" = --version ] && echo codex-cli 0.169.0 && exit\n${APP_SERVER}`);
    machine.put(machine.path(".codex/config.toml"), "");
    await machine.guard("install", "codex");
    machine.write(".codex/config.toml", "[features]\nhooks = false\n");
    const state = async () => (await machine.status("codex")).clients[0].guards[0].state;
    expect(await state()).toBe("holds");
    const file = machine.path(".codex/config.toml");
    writeFileSync(file, `${readFileSync(file, "utf8")}[projects."${machine.cwd}"]\ntrust_level = "trusted"\n`);
    expect(await state()).toBe("off");
  });

  test("that is not here is reported as not trusting, and that does not trust as skipping the hook", async () => {
    const machine = newMachine();
    const { out } = await machine.guard("install", "codex");
    expect(out).toContain("Codex does not trust it yet (codex is not on the PATH)");
    machine.put(machine.path(".codex/config.toml"), "");
    machine.program("codex", APP_SERVER);
    const { status, clients } = await machine.status("codex");
    expect([status, clients[0].guards[0].state]).toEqual([1, "untrusted"]);
  });
});
