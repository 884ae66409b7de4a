import { rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { fileReaders, type Readers } from "../../src/config/layers/readers.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { fileShape } from "../../src/config/shape/file-shape.ts";
import { toOverrides } from "../../src/config/to-overrides.ts";
import { toScene } from "../../src/config/to-scene.ts";
import { buildOverriddenCatalog } from "../../src/core/catalog/override-tools.ts";
import { nameList } from "../../src/core/codes/origin.ts";
import { isToolcribError } from "../../src/core/codes/toolcrib-error.ts";
import { findOff } from "../../src/core/gates/builtins.ts";
import type { Scene, Skill } from "../../src/core/scene/scene.ts";
import { type Tool, toTool } from "../../src/core/tool/tool.ts";
import { buildToolset } from "../../src/core/toolset/build-toolset.ts";
import { toPromptSections } from "../../src/core/toolset/prompt-sections.ts";
import { gatewayBuiltins } from "../../src/runtime/crib/gateway-builtins.ts";
import { loadCommandReader } from "../../src/runtime/permissions/command-reader.ts";
import { foretell } from "../../src/runtime/permissions/permissions.ts";
import { createRuleBook } from "../../src/runtime/permissions/rule-book.ts";
import { createRuleSettings } from "../../src/runtime/session/calls/call-rules.ts";
import { configuredBuiltins } from "../../src/runtime/session/tools/session-host.ts";
import { chooseBuiltins } from "../../src/sources/builtin/choose-builtins.ts";
import { BUILTIN_SETS, BUILTIN_TOOLS } from "../../src/sources/builtin/definitions.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import { documentsOf, MARK } from "../support/shape-samples.ts";

/*
 * Whatever a file of a repository says that nobody trusts, it only takes away. Every key of the shape is tried, in
 * every place it can stand, against people with different configurations of their own. What is compared by default is
 * everything that a configuration is read as, so that a new key is held to equality until somebody says how it narrows.
 */

const SERVER = "mcpServers: { github: { command: node, args: [none.js], feature: own } }\nfeatures: { own: true }\n";
const PEOPLE: Readonly<Record<string, string>> = {
  "who set nothing but a server": SERVER,
  "who takes tools away": `${SERVER}excludeTools: ["github/*"]
defaultAgent: { excludedTools: [web_fetch] }
toolGroups: [a]
toolsets: { review: [view, github/get_issue] }
permissions: { mode: dont-ask, allow: [review, deploy, "Bash(ls:*)"], deny: ["bash(rm:*)"] }
gateway: { approvals: deny, builtins: off, port: 9000 }
`,
  "who chose tools and an agent": `${SERVER}includeTools: [view, grep, bash, "github/get_issue"]
toolsets: { review: [view] }
agents: [{ name: own, tools: [review, bash], skills: [strict], prompt: Mine. }]
agent: own
permissions: { mode: plan, allow: [deploy] }
builtins: [view, bash]
model: small
toolSearch: off
`,
  "who has skills and marks": `${SERVER}agents: [{ name: own, skills: [strict], prompt: Mine. }]
agent: own
skillToolPolicy: preapprove
toolOverrides: { glob: { internal: dynamic-context } }
permissions: { mode: accept-edits }
`,
};

const BUILTIN = BUILTIN_TOOLS.map((tool) => tool);
const mcp = (name: string, more: object = {}) =>
  toTool({
    name,
    source: "mcp",
    server: "github",
    description: `Does ${name}.`,
    inputSchema: { type: "object" },
    ...more,
  });
const TOOLS = [
  ...BUILTIN,
  mcp("get_issue", { traits: { readOnly: true } }),
  mcp("create_issue", { feature: "beta" }),
  mcp("delete_repo", { group: "b" }),
  mcp("draw", { requires: ["vision"] }),
  toTool({ name: "context", source: "module", internal: "dynamic-context", inputSchema: { type: "object" } }),
  toTool({ name: "lead", source: "module", internal: "coordinator-only", inputSchema: { type: "object" } }),
];
const SKILLS: readonly Skill[] = [
  {
    name: "strict",
    origin: { kind: "default" },
    active: false,
    allowedTools: nameList(["Read", "deploy"]),
    prompt: "Be strict.",
    description: null,
  },
];
const CALLS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["bash", { command: "ls -l" }],
  ["bash", { command: "touch x" }],
  ["bash", { command: "rm -r x" }],
  ["view", { path: "a.txt" }],
  ["create", { path: "a.txt", content: "x" }],
  ["web_fetch", { url: "https://example.com" }],
  ["github__get_issue", {}],
  ["github__delete_repo", {}],
];

/** Everything that a configuration leads to, for a program of the person's own and for a client behind the gateway. */
async function observe(config: Config, workspace: Workspace) {
  const [own, behind] = [configuredBuiltins(config), gatewayBuiltins(config)].map(
    (one) => chooseBuiltins(one).builtins,
  );
  const first = await observeWith(config, workspace, own);
  return [first, isDeepStrictEqual(own?.which, behind?.which) ? first : await observeWith(config, workspace, behind)];
}

async function observeWith(config: Config, workspace: Workspace, builtins: Scene["builtins"] | undefined) {
  const scene = toScene(config, {
    ...(builtins === undefined ? {} : { builtins }),
    sets: BUILTIN_SETS,
    skills: SKILLS,
    handlers: { userInput: true },
    allowNoTools: true,
    host: { memory: config.features.get("memory")?.value === true },
  });
  const { catalog } = buildOverriddenCatalog(TOOLS, toOverrides(config), {
    style: config.wireNames.value,
    sets: scene.sets,
    servers: scene.servers.keys(),
    isOff: findOff(scene),
  });
  const toolset = buildToolset(catalog, scene);
  const rules = createRuleSettings({
    config: () => config,
    toolset: () => toolset,
    workspace: workspace.cwd,
    home: workspace.home,
  });
  const book = createRuleBook({ rules, grants: () => GRANTS, isTrusted: () => false, today: () => 0 });
  const decisions = [];
  for (const [name, args] of CALLS) {
    const entry = catalog.entries.find(({ wireName, id }) => wireName === name || id === name.replace("__", "/"));
    if (entry === undefined) continue;
    const call = { call: { id: "1", toolName: entry.wireName, arguments: args }, entry, tool: entry.tool, args };
    decisions.push(foretell(await book.rule(call), call).decision);
  }
  const permitted = toolset.placements.filter(({ standing }) => standing !== "hidden");
  return {
    permitted: new Map(permitted.map(({ entry: { id, wireName, tool } }) => [id, `${wireName} ${definitionOf(tool)}`])),
    decisions,
    prompt: toPromptSections(toolset),
  };
}

const definitions = new WeakMap<Tool, string>();

function definitionOf(tool: Tool): string {
  const { description, inputSchema, timeout, traits } = tool;
  const text = definitions.get(tool) ?? JSON.stringify([description, inputSchema, timeout, traits]);
  definitions.set(tool, text);
  return text;
}

/** An approval that a person kept elsewhere, for a tool that is not here. */
const GRANT = {
  id: "kept",
  tool: "deploy",
  scope: "user",
  rules: ["deploy", "Read(secret)"],
  digest: null,
  created: 0,
  expires: null,
};
// Only the list is looked at, and nothing is ever kept.
const GRANTS = { grants: [GRANT] } as never;

const LOOSENESS = ["deny", "ask", "allow"];
/** Tools that come with a mode or with deferral, and lead nowhere new. */
const COMPANIONS = new Set(["exit_plan_mode", "tool_search"]);

/** What may differ, because tools, decisions and prompts say whether it only narrowed. */
const JUDGED_BY_EFFECT = new Set([
  "includeTools",
  "excludeTools",
  "toolGroups",
  "toolsets",
  "defaultAgent",
  "disabledSkills",
  "disabledServers",
  "toolSearch",
  "limits",
]);
/** Files, notices and the like say where things came from. */
const ABOUT_FILES = new Set(["trust", "files", "notices", "written", "lock", "extensionFiles", "skillPrograms"]);

/** The fields whose values may differ, and how: by the value that counted before. */
const NARROWER: Readonly<Record<string, (now: unknown, before: unknown) => boolean>> = {
  "permissions.mode": (now, before) =>
    now === "plan" || now === "dont-ask" || (now === "default" && before !== "plan" && before !== "dont-ask"),
  "permissions.hostTools": (now) => now === "ask",
  "sandbox.shell": (now) => now === "on",
  "sandbox.hideDenied": (now) => now === true,
  "permissions.sandboxed": (now) => now === "ask",
  "sandbox.allowHostShell": (now) => now === false,
  "gateway.approvals": (now) => now === "deny",
  "gateway.host": (now) => ["localhost", "::1", "127.0.0.1"].includes(String(now)),
  "gateway.builtins": (now) => now === "off" || JSON.stringify(now) === "[]",
  builtins: (now) => now === "off" || JSON.stringify(now) === "[]",
  skillToolPolicy: (now) => now === "restrict",
};

const ORIGINS = new Set(["origin", "also", "called", "disabledBy"]);

function textOf(value: unknown): string {
  const text = JSON.stringify(value, (key, member) => {
    if (ORIGINS.has(key)) return undefined;
    if (!(member instanceof Map)) return member;
    // Hooks of no command are none.
    return Object.fromEntries([...member].filter(([, one]) => !Array.isArray(one) || one.length > 0));
  });
  return text ?? "null";
}

function plain(value: unknown): unknown {
  return JSON.parse(textOf(value));
}

function saidOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "value" in value ? value.value : value;
}

function expectNarrower(now: Config, before: Config, [nowSays, beforeSays]: readonly [Said, Said]): void {
  for (const key of Object.keys(before)) {
    if (JUDGED_BY_EFFECT.has(key) || nowSays.get(key) === beforeSays.get(key)) continue;
    const [a, b] = [nowSays, beforeSays].map((said) => JSON.parse(said.get(key) ?? "null")) as [never, never]; // Two of two.
    if (key === "features") expect({ ...(b as object), ...onlyTrue(a) }).toEqual(b);
    else if (key === "agents") expectAgents(now, before);
    else if (key === "servers") expect(withoutEnabled(a)).toEqual(withoutEnabled(b));
    else if (["permissions", "sandbox", "gateway"].includes(key)) expectFields(key, a, b);
    else if (JSON.stringify(saidOf(a)) !== JSON.stringify(saidOf(b)))
      expect([key, a, NARROWER[key]?.(saidOf(a), saidOf(b)) ?? false]).toEqual([key, a, true]);
  }
}

function expectFields(key: string, now: Record<string, unknown>, before: Record<string, unknown>): void {
  for (const field of Object.keys(before)) {
    const path = `${key}.${field}`;
    if (path === "permissions.deny" || path === "permissions.ask") continue;
    const [a, b] = [saidOf(now[field]), saidOf(before[field])];
    if (JSON.stringify(a) !== JSON.stringify(b))
      expect([path, a, NARROWER[path]?.(a, b) ?? false]).toEqual([path, a, true]);
  }
}

function onlyTrue(features: object): object {
  return Object.fromEntries(Object.entries(features).filter(([, flag]) => saidOf(flag) === true));
}

function withoutEnabled(servers: object): unknown {
  return Object.entries(servers).map(([name, server]) => [name, { ...server, enabled: null }]);
}

/** A person's own agents are as they were; a project's have lists and nothing else. */
function expectAgents({ agents: now }: Config, { agents: before }: Config): void {
  for (const [name, agent] of now) {
    if (before.has(name)) expect(plain(agent)).toEqual(plain(before.get(name)));
    else expect(agent).toMatchObject({ prompt: null, description: null, model: null, coordinator: { value: false } });
    if (!before.has(name)) expect([agent.servers.size, agent.skills.value, agent.defer.value]).toEqual([0, [], "auto"]);
  }
}

/** What a person has without any project, and the contents that were compared with it: what is read the same has the same effects. */
interface Alone {
  readonly before: Config;
  readonly said: Said;
  readonly base: Seen;
  readonly held: Set<string>;
}

type Workspace = ReturnType<typeof createWorkspace>;

async function observeAlone(workspace: Workspace): Promise<Alone> {
  const before = await workspace.load();
  const said = toSaid(before);
  return { before, said, base: await observe(before, workspace), held: new Set([contentOf(said)]) };
}

/** Holds one text of a project file after the other against what a person has without it. */
function besides(workspace: Workspace, { before, said, base, held }: Alone, name: string) {
  workspace.write(name, "");
  onTestFinished(() => rmSync(join(workspace.cwd, name)));
  const files = knowingReaders();
  return async (text: string): Promise<void> => {
    const readText: Readers["readText"] = async (path) =>
      path === join(workspace.cwd, name) ? text : files.readText(path);
    try {
      const now = await loadConfig({ ...workspace.input(), loadCommandReader, readers: { ...files, readText } });
      const saidNow = toSaid(now);
      const content = contentOf(saidNow);
      if (held.has(content)) return;
      expectNarrower(now, before, [saidNow, said]);
      expectNoMore(await observe(now, workspace), base);
      held.add(content);
    } catch (error) {
      if (isToolcribError(error)) return; // It is refused, which gives nobody anything.
      throw new Error(`${text}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
}

/** Asks the disk once about whatever lies around the file under test: thousands of loads would find it unchanged. */
function knowingReaders(): Readers {
  const once = <T>(ask: (path: string) => Promise<T>) => {
    const known = new Map<string, Promise<T>>();
    return (path: string) => {
      const answer = known.get(path) ?? ask(path);
      known.set(path, answer);
      return answer;
    };
  };
  const { readText, listFolder, exists, realPath } = fileReaders;
  const known = { readText: once(readText), listFolder: once(listFolder), exists: once(exists) };
  return { ...fileReaders, ...known, realPath: once(realPath) };
}

/** What a configuration says under each of its keys, origins aside. */
type Said = ReadonlyMap<string, string>;

function toSaid(config: Config): Said {
  const keys = Object.entries(config).filter(([key]) => !ABOUT_FILES.has(key));
  return new Map(keys.map(([key, value]) => [key, textOf(value)]));
}

function contentOf(said: Said): string {
  return JSON.stringify([...said]);
}

type Seen = Awaited<ReturnType<typeof observe>>;

function expectNoMore(seen: Seen, base: Seen): void {
  seen.forEach(({ permitted, decisions, prompt }, at) => {
    const was = base[at];
    const more = [...permitted].filter(([id, text]) => !COMPANIONS.has(id) && was?.permitted.get(id) !== text);
    expect(more).toEqual([]);
    const looser = decisions.flatMap((decision, call) => {
      const allowed = LOOSENESS.slice(0, LOOSENESS.indexOf(was?.decisions[call] ?? "deny") + 1);
      return allowed.includes(decision) ? [] : [[CALLS[call], decision]];
    });
    expect(looser).toEqual([]);
    expect(JSON.stringify([prompt, [...permitted]])).not.toContain(MARK);
    const known = new Set(was?.prompt.map(({ id }) => id));
    for (const { id } of prompt)
      if (!known.has(id)) expect(id).toMatch(/^(?:tool:(?:exit_plan_mode|tool_search)|deferred-tools|waiting-skills)$/);
  });
}

const DOCUMENTS = documentsOf(fileShape);

describe.each(Object.entries(PEOPLE))("for a person %s", (_, user) => {
  const workspace = createWorkspace({ user });
  let alone: Promise<Alone> | null = null;
  const begin = async (name: string) => {
    alone ??= observeAlone(workspace);
    return besides(workspace, await alone, name);
  };

  test.each(Object.keys(fileShape.fields))("%s of an untrusted project only narrows", async (key) => {
    const hold = await begin("toolcrib.json");
    for (const document of DOCUMENTS.filter((one) => key in one)) await hold(JSON.stringify(document));
  });

  test("so does an agent file", async () => {
    const hold = await begin(".claude/agents/one.md");
    for (const front of ["name: own", `name: ${MARK}`, "name: lead\ncoordinator: true\nmodel: x\nskills: [strict]"]) {
      const text = `---\n${front}\ntools: ["*"]\ndescription: ${MARK}\nmcpServers: { s: { command: x } }\n---\n\n${MARK}\n`;
      await hold(text);
    }
  });
});
