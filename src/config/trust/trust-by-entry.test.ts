import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";
import { loadConfig, trustWorkspace } from "../load-config.ts";

const HOOK = 'hooks: { preToolUse: [{ matcher: bash, command: "./guard.sh" }] }\n';
const RULES = 'permissions: { allow: ["bash"], deny: ["Bash(rm:*)"], ask: ["Bash(git push:*)"] }\n';
const SERVERS = "mcpServers:\n  a: { command: x }\n  b: { command: y }\n";

async function trusted(project: string) {
  const workspace = createWorkspace({ "toolcrib.yaml": project });
  await trustWorkspace(workspace.input());
  const edit = async (text: string) => {
    workspace.write("toolcrib.yaml", text);
    return workspace.load();
  };
  return { ...workspace, edit };
}

const denied = ({ permissions }: Awaited<ReturnType<ReturnType<typeof createWorkspace>["load"]>>) =>
  permissions.deny.map(({ value, origin }) => `${value.text} ${origin.kind}`);

test("only the entry that changed waits, with its file and line", async () => {
  const { edit } = await trusted(SERVERS + HOOK);
  const config = await edit(SERVERS.replace("command: y", "command: evil") + HOOK);
  expect([...config.servers.keys()]).toEqual(["a"]);
  expect(config.hooks.get("preToolUse")).toHaveLength(1);
  expect(config.trust.items.map(({ name, standing }) => `${name} ${standing}`)).toEqual([
    "a trusted",
    "b changed",
    "./guard.sh trusted",
  ]);
  expect(config.notices).toMatchObject([{ names: ["b"], origin: { file: "toolcrib.yaml", line: 3 } }]);
});

test("a deny or ask rule that is removed keeps what it covered denied, until a person decides", async () => {
  const { edit, input, load } = await trusted(RULES);
  const config = await edit('permissions: { allow: ["bash"] }\n');
  expect(denied(config)).toEqual(["Bash(git push:*) trust", "Bash(rm:*) trust"]);
  expect(config.permissions.allow).toHaveLength(1);
  expect(config.trust.state).toBe("changed");
  expect(config.notices.map(({ text }) => text).join()).toMatch(
    /deny rule Bash\(rm:\*\) was trusted and is changed or gone/,
  );
  await trustWorkspace(input());
  expect(denied(await load())).toEqual([]);
});

test("so does one that is weakened, moved to ask, or lost with its whole file; a stricter one stands for it", async () => {
  const { edit, cwd, load, write } = await trusted(RULES);
  expect(denied(await edit(RULES.replace("Bash(rm:*)", "Bash(rm -rf /:*)")))).toContain("Bash(rm:*) trust");
  expect(denied(await edit('permissions: { ask: ["Bash(rm:*)", "Bash(git push:*)"] }\n'))).toEqual([
    "Bash(rm:*) trust",
  ]);
  expect(denied(await edit('permissions: { deny: ["Bash(rm:*)", "Bash(git push:*)"] }\n'))).toEqual([
    "Bash(rm:*) file",
    "Bash(git push:*) file",
  ]);
  // Written elsewhere it is still there.
  write("toolcrib.local.yaml", 'permissions: { ask: ["Bash(git push:*)"], deny: [{ rule: "Bash(rm:*)" }] }\n');
  expect(denied(await edit(SERVERS))).toEqual(["Bash(rm:*) file"]);
  rmSync(join(cwd, "toolcrib.yaml"));
  rmSync(join(cwd, "toolcrib.local.yaml"));
  expect(denied(await load())).toEqual(["Bash(git push:*) trust", "Bash(rm:*) trust"]);
});

test.each([
  ["removed", ""],
  ["renamed", HOOK.replace("./guard.sh", "./guard2.sh")],
  ["made to see less", HOOK.replace("matcher: bash", "matcher: view")],
  ["no longer waited for", HOOK.replace("matcher", "async: true, matcher")],
  ["made harmless", HOOK.replace("matcher", "onFailure: continue, matcher")],
  ["moved behind the call", HOOK.replace("preToolUse", "postToolUse")],
])("a hook that is %s is not run, and refuses what it covered", async (_, project) => {
  const { edit } = await trusted(HOOK + RULES);
  const config = await edit(project + RULES);
  expect(config.hooks.get("preToolUse")).toMatchObject([
    { matcher: "bash", refusal: expect.stringMatching(/hook \.\/guard\.sh was trusted .* denied .*: toolcrib trust/) },
  ]);
});

test("a hook that was never trusted covers nothing yet, and one that nobody waits for guards nothing", async () => {
  const fresh = await createWorkspace({ "toolcrib.yaml": HOOK }).load();
  expect(fresh.hooks.get("preToolUse") ?? []).toEqual([]);
  const { edit } = await trusted(HOOK.replace("matcher", "async: true, matcher"));
  expect((await edit("")).hooks.get("preToolUse") ?? []).toEqual([]);
});

test("a call that a missing guard covered is denied by check and call, which say what to do", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": HOOK + RULES });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  expect((await cli("trust", "--yes")).status).toBe(0);
  writeFileSync(join(cwd, "toolcrib.yaml"), RULES);
  const check = await cli("check", "bash", "--args", '{"command":"echo hi"}');
  expect(check).toMatchObject({ status: 1, out: expect.stringContaining("toolcrib trust") });
  expect(check.out).toContain("bash: deny");
  const call = await cli("call", "bash", "--args", '{"command":"echo hi"}', "--yes");
  expect(call.status).not.toBe(0);
  expect(call.out + call.err).toContain("toolcrib trust");
  writeFileSync(join(cwd, "toolcrib.yaml"), 'permissions: { allow: ["bash"] }\n');
  const rm = await cli("check", "bash", "--args", '{"command":"rm x"}');
  expect(rm.out).toContain('was trusted, and is changed or gone; decide with "toolcrib trust"');
});

test("a missing hook that answers for a person refuses what would be asked about, in check and call", async () => {
  const asking = HOOK.replace("preToolUse", "permissionRequest");
  const { cwd, home } = createMachine({ "toolcrib.yaml": asking });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  const touch = ["bash", "--args", '{"command":"touch made"}'];
  expect((await cli("check", ...touch)).out).toContain("bash: ask");
  expect((await cli("trust", "--yes")).status).toBe(0);
  expect((await cli("check", ...touch)).out).toContain("./guard.sh");
  writeFileSync(join(cwd, "toolcrib.yaml"), "{}");
  const check = await cli("check", ...touch);
  expect(check).toMatchObject({ status: 1, out: expect.stringContaining("bash: deny") });
  expect(check.out).toContain("hook ./guard.sh was trusted and is changed or gone");
  const call = await cli("call", ...touch, "--yes");
  expect(call.status).not.toBe(0);
  expect(call.out + call.err).toContain("toolcrib trust");
  expect(existsSync(join(cwd, "made"))).toBe(false);
  // What needs no answer was never its business.
  expect((await cli("check", "view", "--args", '{"path":"toolcrib.yaml"}')).out).toContain("view: allow");
});

test("why names a missing deny rule that hides a tool, and what to do", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": "permissions: { allow: [view], deny: [web_fetch] }\n" });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  await cli("trust", "--yes");
  writeFileSync(join(cwd, "toolcrib.yaml"), "{}");
  const { out } = await cli("why", "web_fetch");
  expect(out).toContain("hidden");
  expect(out).toContain('denied by the rule "web_fetch"');
  expect(out.replace(/\s+/g, " ")).toContain('put the rule back, or run "toolcrib trust" and accept that it is gone');
});

test("trust shows what is new, changed and gone, and takes single items", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": SERVERS + RULES });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home } });
  await cli("trust", "--yes");
  const edited = SERVERS.replace("  a: { command: x }\n", "").replace("command: y", "command: z");
  writeFileSync(join(cwd, "toolcrib.yaml"), `${edited}  c: { command: w }\npermissions: { allow: ["bash"] }\n`);
  const { out } = await cli("trust", "--only", "c", "--yes");
  expect(out).toMatch(/server: b \(toolcrib.yaml:2\) {2}\[changed\]/);
  expect(out).toMatch(/server: c \(toolcrib.yaml:3\) {2}\[new\]/);
  expect(out).toMatch(/server: a {2}\[gone\]/);
  expect(out).toMatch(/deny rule: Bash\(rm:\*\) {2}\[gone or changed\]/);
  expect(out).toContain("Still waiting: server b, ");
  const json = JSON.parse((await cli("trust", "--only", "server b", "--only", "Bash(rm:*)", "--yes", "--json")).out);
  expect(json).toMatchObject({ state: "changed", missingGuards: [{ what: "ask rule", name: "Bash(git push:*)" }] });
  expect(await cli("trust", "--only", "nothing-of-it", "--yes")).toMatchObject({
    status: 2,
    err: expect.stringContaining("these do: ask rule Bash(git push:*)"),
  });
  await cli("trust", "--yes");
  expect(JSON.parse((await cli("trust", "--json")).out)).toMatchObject({
    state: "trusted",
    gone: [],
    missingGuards: [],
  });
});

test("add trusts the entry it wrote, and nothing else, for a person at a terminal or with --trust", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": SERVERS });
  const standings = async () => {
    const { out } = await runCli(["trust", "--json"], { cwd, env: { HOME: home }, types: "n" });
    const trust = out === "" ? null : JSON.parse(out);
    return trust;
  };
  const add = (name: string, ...more: string[]) => ["add", name, ...more, "--", "run"];
  const quiet = await runCli(add("q"), { cwd, env: { HOME: home } });
  expect(quiet.out).toContain("toolcrib trust");
  const seen = await runCli(add("p"), { cwd, env: { HOME: home }, types: "" });
  expect(seen.out).toContain("Trusted this entry, as it is now, and nothing else.");
  await runCli(add("s", "--trust"), { cwd, env: { HOME: home } });
  const { out } = await runCli(["config", "mcpServers", "--json"], { cwd, env: { HOME: home } });
  expect(["a", "b", "q", "p", "s"].filter((name) => out.includes(`mcpServers.${name}`))).toEqual(["p", "s"]);
  expect(await standings()).toBeNull();
});

test("a record of the earlier kind is taken over once, grants no more than it did, and guards from then on", async () => {
  const { edit, home, load, cwd } = await trusted(SERVERS + RULES + HOOK);
  const store = join(home, ".config", "toolcrib", "trusted.json");
  const record = JSON.parse(readFileSync(store, "utf8")).workspaces[cwd];
  const hashes = record.items
    .filter(({ name }: { name: string }) => name !== "b")
    .map(({ hash }: { hash: string }) => hash);
  writeFileSync(
    store,
    JSON.stringify({ version: 1, workspaces: { [cwd]: { trusted: hashes }, "/x": { trusted: ["1"] } } }),
  );
  expect([...(await load()).servers.keys()]).toEqual(["a"]);
  const after = JSON.parse(readFileSync(store, "utf8"));
  expect(after).toMatchObject({ version: 2, workspaces: { "/x": { trusted: ["1"] } } });
  expect(after.workspaces[cwd].items.map(({ name }: { name: string }) => name)).not.toContain("b");
  expect(after.workspaces[cwd].guards).toHaveLength(3);
  expect(denied(await edit(SERVERS))).toHaveLength(2);
});

test("a record whose guards cannot be read trusts nothing", async () => {
  const { home, load, cwd } = await trusted(SERVERS + RULES);
  const store = join(home, ".config", "toolcrib", "trusted.json");
  const text = JSON.parse(readFileSync(store, "utf8"));
  for (const guards of [
    undefined,
    "none",
    [{}],
    [{ ...text.workspaces[cwd].guards[0], covers: { kind: "hook", event: "x" } }],
  ]) {
    const workspaces = { [cwd]: { ...text.workspaces[cwd], guards } };
    writeFileSync(store, JSON.stringify({ version: 2, workspaces }));
    expect((await load()).trust.state).toBe("untrusted");
  }
});

test("a file that is named puts the project's files aside, and their guards with them", async () => {
  const { write, load } = await trusted(RULES);
  write("other.yaml", "{}");
  expect(denied(await load({ config: "other.yaml" }))).toEqual([]);
});

test("a store that cannot be written takes nothing away", async () => {
  const { home, load, cwd } = await trusted(SERVERS);
  const folder = join(home, ".config", "toolcrib");
  const store = join(folder, "trusted.json");
  const hashes = JSON.parse(readFileSync(store, "utf8")).workspaces[cwd].items.map(
    ({ hash }: { hash: string }) => hash,
  );
  writeFileSync(store, JSON.stringify({ version: 1, workspaces: { [cwd]: { trusted: hashes } } }));
  chmodSync(folder, 0o500);
  try {
    expect((await load()).servers.size).toBe(2);
  } finally {
    chmodSync(folder, 0o700);
  }
  mkdirSync(folder, { recursive: true });
});

const LOCK = (...signals: string[]) => {
  const pin = { signature: "s", approved: true, signals };
  return JSON.stringify({ version: 2, servers: {}, tools: { "a/x": pin } }, null, 2);
};

test("what a project's lock accepts counts once a person has trusted exactly that", async () => {
  const { write, load, input } = await trusted(SERVERS);
  const signals = async () => (await load()).lock?.lock?.tools.get("a/x")?.signals;
  write("toolcrib.lock", LOCK("override"));
  expect(await signals()).toEqual([]);
  expect((await load()).notices.map(({ text }) => text)).toContainEqual(
    expect.stringContaining("accepted warning a/x"),
  );
  await trustWorkspace(input());
  expect(await signals()).toEqual(["override"]);
  write("toolcrib.lock", LOCK("override", "hidden-text"));
  expect(await signals()).toEqual([]);
});

test("a clone that brings nothing but a lock releases nothing of what a scan quarantines", async () => {
  const { cwd, home } = createMachine({ "toolcrib.lock": LOCK("override") });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  const load = () => loadConfig({ cwd, home, env: {} });
  const before = await load();
  expect(before.trust.state).toBe("untrusted");
  expect(before.lock?.lock?.tools.get("a/x")).toMatchObject({ approved: true, signals: [] });
  const shown = await cli("trust", "--yes");
  expect(shown.out).toContain("accepted warning: a/x (toolcrib.lock:");
  expect(shown.out).toContain("accepts: override");
  expect((await load()).lock?.lock?.tools.get("a/x")?.signals).toEqual(["override"]);
});

test("rules of a project that only denies are remembered by trust, and missed when their file goes", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": 'permissions: { deny: ["Bash(rm:*)"] }\n' });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  const shown = await cli("trust", "--yes");
  expect(shown.out).toContain("deny rule: Bash(rm:*)  [in force]");
  expect((await cli("trust")).out).toContain("asks for nothing that needs trust");
  rmSync(join(cwd, "toolcrib.yaml"));
  expect((await cli("check", "bash", "--args", '{"command":"rm x"}')).out).toContain("bash: deny");
  await cli("trust", "--yes");
  expect((await cli("check", "bash", "--args", '{"command":"rm x"}')).out).toContain("bash: ask");
});
