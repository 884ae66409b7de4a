import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { foreignFiles } from "../import/find-foreign.ts";
import { loadConfig } from "../load-config.ts";

const SETTINGS = ".claude/settings.json";

async function loadSettings(text: string) {
  const { load } = createWorkspace({ [SETTINGS]: text });
  const { permissions, notices, trust } = await load();
  return {
    denied: permissions.deny.map((rule) => rule.value.text),
    told: notices.map(({ level, text: said, origin }) => `${level} ${formatOrigin(origin)}: ${said}`),
    trust,
  };
}

describe("a deny rule of Claude's settings counts", () => {
  const rules = '"permissions": { "deny": ["Bash(rm:*)"] }';
  test.each([
    ["after a comment on the line before", `{\n  // no rm here\n  ${rules}\n}`],
    ["beside comments of both kinds", `{ /* "a": 1 */ ${rules} // done\n}`],
    ["with commas at the end", `{ ${rules.replace("]", ",]")}, }`],
    ["behind a byte order mark, with tabs and CRLF", `\ufeff{\r\n\t${rules}\r\n}\r\n`],
    ["beside a text that looks like a comment", `{ "env": { "U": "https://a.test/*" }, ${rules} }`],
  ])("%s", async (_, text) => {
    expect(await loadSettings(text)).toMatchObject({ denied: ["Bash(rm:*)"], told: [] });
  });

  test("in a folder below the home folder that is no repository", async () => {
    const { home, write, input } = createWorkspace();
    const cwd = join(home, "plain");
    mkdirSync(cwd);
    write(`../plain/${SETTINGS}`, `{ ${rules} }`);
    const { permissions, trust } = await loadConfig({ ...input(), cwd });
    expect(permissions.deny.map((rule) => formatOrigin(rule.origin))).toEqual([`${SETTINGS}:1`]);
    expect(trust.workspace).toBe(cwd);
  });

  test("where CLAUDE_CONFIG_DIR says that the person's own files are, and not where they would be else", async () => {
    const { home, load, write } = createWorkspace({ "../moved/settings.json": `{ ${rules} }` });
    write("../.claude/settings.json", '{ "permissions": { "deny": ["Bash(dd:*)"] } }');
    write("../moved/agents/a.md", "---\nname: a\n---\n");
    const { permissions, agents } = await load({}, { CLAUDE_CONFIG_DIR: join(home, "moved") });
    expect(permissions.deny.map((rule) => rule.value.text)).toEqual(["Bash(rm:*)"]);
    expect([...agents.keys()]).toEqual(["a"]);
  });

  test("where a variable moves the person's own files, unless it names no absolute path", async () => {
    const { home, cwd, load, write, input } = createWorkspace();
    for (const [place, name] of [
      ["../.copilot", "usual"],
      ["../moved", "moved"],
      ["moved", "stray"],
    ]) {
      write(`${place}/agents/${name}.md`, `---\nname: ${name}\n---\n`);
      write(`${place}/mcp-config.json`, JSON.stringify({ mcpServers: { [`${name}-server`]: { command: "true" } } }));
    }
    const namesWith = async (COPILOT_HOME: string) => {
      const { agents } = await load({}, { COPILOT_HOME });
      const places = { ...input(), cwd, home, env: { COPILOT_HOME }, platform: "linux" } as const;
      const servers = foreignFiles(places).find(({ product }) => product === "copilot");
      return [...agents.keys(), dirname(servers?.path ?? "")];
    };
    expect(await namesWith(join(home, "moved"))).toEqual(["moved", join(home, "moved")]);
    expect(await namesWith("moved")).toEqual(["usual", join(home, ".copilot")]);
  });

  test("in the folder of work and in those above it up to the repository, each told as the file that it is", async () => {
    const { cwd, write, input } = createWorkspace({ [SETTINGS]: `{ ${rules} }` });
    write(`packages/a/${SETTINGS}`, '{ "permissions": { "deny": ["Read(/keys/**)"] } }');
    const { permissions } = await loadConfig({ ...input(), cwd: join(cwd, "packages/a") });
    const found = permissions.deny.map((rule) => [rule.value.text, formatOrigin(rule.origin)]);
    // Paths of rules start at the folder of their file, so a file elsewhere is told whole.
    expect(found).toEqual([
      ["Read(/keys/**)", `${SETTINGS}:1`],
      ["Bash(rm:*)", `~/work/${SETTINGS}:1`],
    ]);
  });
});

describe("what is wrong with a settings file is told with its place and what to write", () => {
  test.each([
    [
      '{\n"permissions": { "deny": "Bash(rm:*)" } }',
      2,
      'permissions.deny must be a list of rules, as in ["Bash(rm:*)"]',
    ],
    ['{\n"permissions": { "denny": ["Bash(rm:*)"] } }', 2, 'permissions has no "denny"; did you mean "deny"?'],
    ['{\n"permissions": ["Bash(rm:*)"] }', 2, 'permissions must be a map with "allow", "ask" and "deny"'],
    [
      '{\n"permissions": { "deny": [\n"Bash(rm:*"] } }',
      3,
      'the rule "Bash(rm:*", which cannot be read; write Tool or Tool(',
    ],
    ['{\n"hooks": [] }', 2, 'what "hooks" holds is left out: it must be a map of events'],
    [
      '{\n"hooks": { "PreToolUse": { "matcher": "Bash" } } }',
      2,
      "what stands under PreToolUse is left out: it must be a list",
    ],
    ['{"hooks": { "PreToolUse": [\n{ "matcher": "Bash", "command": "x" }] } }', 2, 'a list "hooks" beside the matcher'],
    [
      '{"hooks": { "PreToolUse": [\n{ "hooks": [{ "command": "x" }] }] } }',
      2,
      'it has no type; write "type": "command"',
    ],
    ['{"hooks": {\n"preTooluse": [] } }', 2, 'there is no such event; did you mean "PreToolUse"?'],
    ['{"hooks": { "PreToolUse": [\n{ "matcher": 7, "hooks": [] }] } }', 2, "its matcher is not text"],
  ])("%s", async (text, line, said) => {
    const { told, denied } = await loadSettings(text);
    expect([told.length, denied]).toEqual([1, []]);
    expect(told[0]).toContain(`warning ${SETTINGS}:${line}: `);
    expect(told[0]).toContain(said);
  });

  test.each(["[]", '"text"', "{ nonsense: ["])("a file that holds %s", async (text) => {
    const { told } = await loadSettings(text);
    expect(told).toEqual([
      expect.stringContaining(`${SETTINGS} cannot be read, so its hooks and permissions are left out`),
    ]);
  });

  test.each([
    "",
    "null",
    "{}",
    '{ "permissions": null, "hooks": null }',
    '{ "permissions": { "disableAutoMode": "disable" } }',
  ])("nothing is said of a file that holds %j", async (text) => {
    expect((await loadSettings(text)).told).toEqual([]);
  });

  test("a link that leads nowhere is no missing file", async () => {
    const { cwd, load } = createWorkspace({ ".claude/other.json": "{}" });
    symlinkSync("gone.json", join(cwd, SETTINGS));
    expect((await load()).notices).toMatchObject([{ text: expect.stringContaining("a link that leads nowhere") }]);
  });

  test("events of Claude that nothing here fires stay a hint, also where they are near to others", async () => {
    const { told } = await loadSettings('{ "hooks": { "PostToolBatch": [], "ConfigChange": [] } }');
    expect(told).toEqual([expect.stringMatching(/^info .*hooks for PostToolBatch, ConfigChange are left out/)]);
  });
});

test("trust shows of Claude's settings what they ask for: the mode, when a hook runs, and for how long", async () => {
  const { cwd, home } = createMachine({
    [SETTINGS]: JSON.stringify({
      permissions: { defaultMode: "acceptEdits", allow: ["Bash(ls:*)"] },
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: [{ type: "command", command: "guard", timeout: 5 }] },
          { matcher: "Edit|Write", hooks: [{ type: "command", command: "lint" }] },
        ],
      },
    }),
  });
  const { out } = await runCli(["trust"], { cwd, env: { HOME: home } });
  const lines = out.split("\n").map((line) => line.trim());
  expect(lines).toEqual(expect.arrayContaining(["value: accept-edits", "matcher: Bash", "timeout: 5"]));
  expect(lines.indexOf("matcher: Edit|Write")).toBeGreaterThan(lines.indexOf("matcher: Bash"));
});

test("a session of ours leaves out the hook that would judge its calls a second time, and only exactly that", async () => {
  const script = (home: string) =>
    `/bin/sh -c '. "$0"; exit 2' ${join(home, ".local/state/toolcrib/guard/hook.sh")} claude-code || exit 2`;
  const { home, load, write } = createWorkspace();
  const handler = (command: string, more: object = {}) => ({ type: "command", command, ...more });
  const others = [
    "toolcrib hook claude-code || exit 2; lint",
    "lint; toolcrib hook claude-code || exit 2",
    "./toolcrib hook claude-code || exit 2",
    `/bin/sh -c '. "$0"; exit 2' /tmp/hook.sh claude-code || exit 2`,
    "toolcrib hook claude-code || exit 0",
  ];
  const ours = [handler("toolcrib hook claude-code || exit 2", { timeout: 10 }), handler(script(home))];
  const withArgs = handler("toolcrib hook claude-code || exit 2", { args: ["x"] });
  const hooks = { PreToolUse: [{ matcher: "*", hooks: [...ours, ...others.map((one) => handler(one)), withArgs] }] };
  write("../.claude/settings.json", JSON.stringify({ hooks }));
  write(
    "../.copilot/hooks/toolcrib.json",
    JSON.stringify({
      version: 1,
      hooks: { preToolUse: [{ type: "command", bash: "toolcrib hook copilot-cli || exit 2" }] },
    }),
  );
  const config = await load();
  const kept = (config.hooks.get("preToolUse") ?? []).map(({ command }) => command);
  expect(kept).toEqual([...others, withArgs.command]);
});
