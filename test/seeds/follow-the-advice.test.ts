import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { unfoldHome } from "../../src/core/codes/origin.ts";
import { createMachine, runCli } from "../support/run-cli.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));
const MODULE = `const tool = (name, more) => ({ tool: { name, description: name, inputSchema: { type: "object" }, ...more }, handler: () => name });
export const doc = tool("doc");
export const flagged = tool("flagged", { feature: "beta" });
export const planned = tool("planned", { requires: ["schedule"] });
export const grep = tool("grep");
`;
const use = (name: string, more = "") => `tools:\n  - { name: ${name}, use: "./tools.js:${name}"${more} }\n`;

interface Reason {
  readonly gate: string;
  readonly text: string;
  readonly origin: string;
  readonly fix: string;
}

type Machine = ReturnType<typeof createMachine>;

async function why(name: string, { cwd, home }: Machine, argv: readonly string[]) {
  const options = { cwd, env: { HOME: home, TOOLCRIB_POLICY: join(cwd, "policy.yaml") } };
  await runCli(["trust", "--yes"], options);
  const { out } = await runCli(["why", name, "--json", ...argv], options);
  const { tools } = JSON.parse(out) as { tools: { standing: string; reasons: readonly Reason[] }[] };
  const missing = tools.filter(({ standing }) => standing === "hidden");
  return { isThere: missing.length === 0, reasons: missing.flatMap(({ reasons }) => reasons) };
}

/** Does what one advice says, letter by letter; of several ways the first that is a change of a file. */
function follow(advice: string, machine: Machine): void {
  const isDone = advice.split(/, or | or (?=name )|: (?=set )/).some((way) => tryOut(way, machine));
  if (!isDone) throw new Error(`nothing to follow in: ${advice}`);
}

function tryOut(way: string, { cwd, home }: Machine): boolean {
  const fileAt = (shown: string): string => resolve(cwd, unfoldHome(shown, home));
  const [, removed, removedAt = "", removedLine] = /^remove "(.+)" from .+ \((.+):(\d+)\)$/.exec(way) ?? [];
  if (removed !== undefined) editLines(fileAt(removedAt), Number(removedLine), takeOut(removed));
  const [, added, addedAt = "", addedLine] = /^add "(.+)" to .+ \((.+):(\d+)\)$/.exec(way) ?? [];
  if (added !== undefined) editLines(fileAt(addedAt), Number(addedLine), putInto(added));
  const assignment = way.replace(/ if it .+$/, "");
  const [, path, value = "renamed", file = "toolcrib.yaml"] =
    /^set ((?:"[^"]+"|[^\s:"])+(?=:|$))(?:: (.+?))?(?: \((.+):\d+\))?$/.exec(assignment) ?? [];
  if (path !== undefined) setValue(fileAt(file), path, value);
  return removed !== undefined || added !== undefined || path !== undefined;
}

type Edit = (line: string, next: string) => readonly string[];

/** Fails unless the line that was named holds what the advice says. */
const takeOut =
  (value: string): Edit =>
  (line) => {
    expect(line).toMatch(/^\s*- /);
    expect(line).toContain(value);
    return [];
  };
const putInto =
  (value: string): Edit =>
  (line, next) => {
    expect(line).toMatch(/[\w-]+:$/);
    return [line, `${/^\s*/.exec(next)?.[0] ?? ""}- ${JSON.stringify(value)}`];
  };

function editLines(file: string, line: number, edit: Edit): void {
  const lines = readFileSync(file, "utf8").split("\n");
  lines.splice(line - 1, 1, ...edit(lines[line - 1] ?? "", lines[line] ?? ""));
  writeFileSync(file, lines.join("\n"));
}

function setValue(file: string, path: string, value: string): void {
  const document = parseDocument(readFileSync(file, "utf8"));
  const keys = [...path.matchAll(/"([^"]+)"|[^."]+/g)].map(([plain, quoted]) => quoted ?? plain);
  document.setIn(keys, document.createNode(parseDocument(value).toJS()));
  writeFileSync(file, document.toString());
}

/** What it is about, the tool, the files, the gate behind each reason, flags. */
type Case = readonly [string, string, Readonly<Record<string, string>>, readonly string[], (readonly string[])?];

const NO_CASE: Case = ["", "", {}, []];
const CASES: readonly Case[] = [
  [
    "a list that excludes it under several names and in several layers",
    "glob",
    {
      "toolcrib.yaml": 'excludeTools:\n  - glob\n  - "builtin:g*"\n  - builtin:glob\n  - web\n',
      "toolcrib.local.yaml": "excludeTools:\n  - glob\n",
      user: "excludeTools:\n  - glob\n  - Glob\n",
    },
    ["filter", "filter", "filter", "filter", "filter", "filter"],
  ],
  [
    "a pattern that excludes what a pattern includes",
    "glob",
    { "toolcrib.yaml": 'includeTools:\n  - "builtin:*"\nexcludeTools:\n  - "builtin:g*"\n' },
    ["filter"],
  ],
  ["an include list", "glob", { "toolcrib.yaml": "includeTools:\n  - view\n" }, ["filter"]],
  [
    "the default agent's list, twice",
    "glob",
    { "toolcrib.yaml": 'defaultAgent:\n  excludedTools:\n    - glob\n    - "builtin:gl*"\n' },
    ["agent", "agent"],
  ],
  [
    "an agent file that neither lists it nor wants it",
    "glob",
    {
      "toolcrib.yaml": "agent: reader\n",
      ".github/agents/reader.md":
        '---\nname: reader\ntools:\n  - view\ndisallowedTools:\n  - glob\n  - "builtin:g*"\n---\nRead.\n',
    },
    ["agent", "agent", "agent"],
  ],
  [
    "deny rules that say it three times",
    "glob",
    { "toolcrib.yaml": 'permissions:\n  deny:\n    - glob\n    - "glob(*)"\n    - "*"\n' },
    ["deny-rule", "deny-rule", "deny-rule"],
  ],
  [
    "a group that is not listed",
    "doc",
    { "toolcrib.yaml": `${use("doc", ', group: "docs:read"')}toolGroups:\n  - web\n` },
    ["group"],
  ],
  [
    "a group that managed policy lists and the project does not",
    "doc",
    {
      "policy.yaml": 'toolGroups:\n  - "docs:read"\n  - web\n',
      "toolcrib.yaml": `${use("doc", ', group: "docs:read"')}toolGroups:\n  - web\n`,
    },
    ["group"],
  ],
  ["a feature that nobody set", "flagged", { "toolcrib.yaml": use("flagged") }, ["feature"]],
  [
    "a feature that another file switches off",
    "flagged",
    { "toolcrib.yaml": use("flagged"), "toolcrib.local.yaml": "features:\n  beta: false\n" },
    ["feature"],
  ],
  ["memory that is off", "recall_memory", { "toolcrib.yaml": "excludeTools: []\n" }, ["capability"]],
  ["memory that is switched off", "recall_memory", { "toolcrib.yaml": "features:\n  memory: false\n" }, ["capability"]],
  ["a schedule that is off", "planned", { "toolcrib.yaml": use("planned") }, ["capability"]],
  ["plan mode", "create", { "toolcrib.yaml": "permissions:\n  mode: plan\n" }, ["mode"]],
  ["a tool of another mode", "exit_plan_mode", { "toolcrib.yaml": "excludeTools: []\n" }, ["mode"]],
  ["a model that takes another form", "builtin:edit", { "toolcrib.yaml": "model: gpt-3.5-turbo\n" }, ["model"]],
  ["a model that cannot see", "view_image", { "toolcrib.yaml": "model: gpt-3.5-turbo\n" }, ["model"]],
  [
    "a server's list of tools",
    "echo/echo",
    { "toolcrib.yaml": `mcpServers:\n  echo:\n    command: node\n    args: [${ECHO}]\n    tools:\n      - nothing\n` },
    ["server-filter"],
  ],
  ["a name that a built-in has", "grep", { "toolcrib.yaml": use("grep") }, ["duplicate"]],
  [
    "a skill that allows other tools",
    "glob",
    {
      "toolcrib.yaml": "skillDirectories: [skills]\nagents:\n  - { name: worker, skills: [careful] }\n",
      "skills/careful/SKILL.md": "---\nname: careful\ndescription: d\nallowed-tools:\n  - grep\n---\nBe careful.\n",
    },
    ["skill"],
    ["--agent", "worker"],
  ],
];

describe('doing all that why says behind "To see it", letter by letter, shows the tool that was hidden by', () => {
  test.each(CASES.map(([about]) => about))("%s", async (asked) => {
    const [, name, files, gates, argv = []] = CASES.find(([about]) => about === asked) ?? NO_CASE;
    const machine = createMachine({
      "policy.yaml": "{}\n",
      "tools.js": MODULE,
      "package.json": '{"type":"module"}',
      ...files,
    });
    const before = await why(name, machine, argv);
    expect(before.reasons.map(({ gate }) => gate)).toEqual(gates);
    // From below, so that the lines above keep their numbers.
    const lineOf = (fix: string): number => Number(/:(\d+)\)/.exec(fix)?.[1] ?? 0);
    const advice = [...new Set(before.reasons.map(({ fix }) => fix))].sort((a, b) => lineOf(b) - lineOf(a));
    for (const fix of advice) follow(fix, machine);
    const after = await why(name, machine, argv);
    expect(after).toEqual({ isThere: true, reasons: [] });
  });
});

test("a tool whose name is also that of a toolset comes alone", async () => {
  const machine = createMachine({ "policy.yaml": "{}\n", "toolcrib.yaml": "includeTools:\n  - view\n" });
  const { reasons } = await why("builtin:edit", machine, []);
  for (const { fix } of reasons) follow(fix, machine);
  expect((await why("builtin:edit", machine, [])).isThere).toBe(true);
  expect((await why("create", machine, [])).isThere).toBe(false);
});
