import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NamedSet } from "../catalog/named-set.ts";
import { WIRE_STYLES } from "../catalog/wire-name.ts";
import { type NameList, nameList, type Sourced, sourced } from "../codes/origin.ts";
import { parseRule, type Rule } from "../rules/rule.ts";
import { SOURCE_KINDS } from "../tool/source-kinds.ts";
import { OWNER_KINDS, type Tool, toTool } from "../tool/tool.ts";
import type { Traits } from "../tool/traits.ts";
import { type Client, toClient } from "./client.ts";
import { DEFAULT_SCENE } from "./default-scene.ts";
import {
  type Agent,
  type Builtins,
  MODES,
  type Model,
  type Pin,
  type Promotions,
  type Scene,
  type Server,
  type ServerMatch,
  type Skill,
} from "./scene.ts";
import { SKILL_TOOL_POLICIES, type ToolSearch } from "./scene-settings.ts";
import { readWorld, toWorld } from "./world.ts";

describe("a world that was written", () => {
  test("reads as the same tools and the same scene, save for origins", () => {
    fc.assert(
      fc.property(
        fc.array(anyTool(), { maxLength: 4 }),
        anyScene(),
        fc.constantFrom(...WIRE_STYLES),
        (tools, scene, style) => {
          const world = readWorld(JSON.parse(JSON.stringify(toWorld(tools, scene, style))), "w.json");
          expect(world.notices).toEqual([]);
          expect(world.wireStyle).toBe(style);
          expect(world.tools.map(comparable)).toEqual(tools.map(comparable));
          expect(withoutOrigins(world.scene)).toEqual(withoutOrigins(scene));
        },
      ),
      { numRuns: 150 },
    );
  });

  test("says nothing about a tool that its defaults say", () => {
    expect(toWorld([toTool({ name: "view" })], DEFAULT_SCENE, "server__tool")).toMatchObject({
      tools: [{ name: "view", source: "builtin", traits: { readOnly: false } }],
    });
    expect(Object.keys(toolsOf(toWorld([toTool({ name: "view" })], DEFAULT_SCENE, "server__tool"))[0] ?? {})).toEqual([
      "name",
      "source",
      "traits",
    ]);
  });

  test.each([
    ["https://x.test/mcp", "https://x.test/mcp"],
    ["https://x.test", "https://x.test"],
    ["https://x.test/mcp?token=hush&a=1", "https://x.test/mcp"],
    ["https://x.test/mcp#token=hush", "https://x.test/mcp"],
    ["https://me:hush@x.test/mcp", "https://x.test/mcp"],
    ["https://hush@x.test/@scope/pkg?k=hush", "https://x.test/@scope/pkg"],
    ["https:me:hush@x.test/mcp", "https://x.test/mcp"],
    ["https://x.test/@scope/pkg", "https://x.test/@scope/pkg"],
    ["http://me:hush@[bad/mcp?hush", "http://[bad/mcp"],
    ["hush@[bad", "[bad"],
  ])("%s is written as %s: addresses lose what may be secret", (url, expected) => {
    const servers = new Map([["s", { ...SERVER, url }]]);
    const text = JSON.stringify(toWorld([], { ...DEFAULT_SCENE, servers }, "server__tool"));
    expect(readWorld(JSON.parse(text), "w.json").scene.servers.get("s")?.url).toBe(expected);
    expect(text).not.toContain("hush");
  });
});

const SERVER: Server = {
  name: "s",
  origin: { kind: "default" },
  tools: null,
  defer: sourced("auto"),
  group: null,
  feature: null,
  url: null,
  argv: null,
  launch: null,
  instructions: null,
};

function toolsOf(world: unknown): object[] {
  return (world as { tools: object[] }).tools; // The shape that toWorld always writes.
}

/** The order of needs means nothing, and JSON objects do not keep that of keys such as "1". */
function comparable(tool: Tool): unknown {
  const sortNeeds = (one: Tool) => ({ ...one, requires: [...one.requires].sort() });
  return { ...sortNeeds(tool), original: tool.original === null ? null : sortNeeds(tool.original) };
}

function withoutOrigins(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [key, withoutOrigins(member)]));
  if (value instanceof Set) return value;
  if (Array.isArray(value)) return value.map(withoutOrigins);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (key === "origin" ? [] : [[key, withoutOrigins(member)]])),
  );
}

function anyText(): fc.Arbitrary<string> {
  return fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "1", "view", "github/*", "\ud800"));
}

function orNull<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(value, { nil: null });
}

function anyNames(): fc.Arbitrary<NameList> {
  return fc.array(anyText(), { maxLength: 4 }).map((names) => nameList(names));
}

function anySourced<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Sourced<T>> {
  return value.map((one) => sourced(one));
}

function anyMap<T>(value: fc.Arbitrary<T>, maxLength = 4): fc.Arbitrary<Map<string, T>> {
  return fc.array(fc.tuple(anyText(), value), { maxLength }).map((entries) => new Map(entries));
}

function anyTraits(): fc.Arbitrary<Traits> {
  const flag = fc.boolean();
  return fc.record({
    readOnly: flag,
    concurrencySafe: flag,
    idempotent: flag,
    interrupt: fc.constantFrom("cancel", "finish"),
    abortSiblings: flag,
    hostShell: flag,
    openWorld: flag,
  });
}

function anyTool(): fc.Arbitrary<Tool> {
  return fc.tuple(anyDefinition(), orNull(anyDefinition())).map(([tool, original]) => ({ ...tool, original }));
}

function anyDefinition(): fc.Arbitrary<Tool> {
  const text = orNull(anyText());
  return fc
    .record({
      name: anyText(),
      source: fc.constantFrom(...SOURCE_KINDS),
      server: text,
      owner: orNull(fc.record({ kind: fc.constantFrom(...OWNER_KINDS), name: anyText() })),
      id: text,
      aliases: fc.array(anyText(), { maxLength: 3 }),
      group: text,
      title: text,
      description: anyText(),
      inputSchema: fc.json({ maxDepth: 3 }).map((json): unknown => JSON.parse(JSON.stringify(JSON.parse(json)))),
      outputSchema: fc.json({ maxDepth: 2 }).map((json): unknown => JSON.parse(JSON.stringify(JSON.parse(json)))),
      harmless: fc.boolean(),
      annotations: fc.option(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string()), { nil: null }),
      traits: anyTraits(),
      requires: fc.uniqueArray(anyText(), { maxLength: 3 }),
      variant: text,
      feature: text,
      defer: fc.constantFrom("auto", "never"),
      internal: orNull(fc.constantFrom("dynamic-context", "top-level-incompatible", "coordinator-only")),
      overridesBuiltInTool: fc.boolean(),
      skipPermission: fc.boolean(),
      instructions: text,
      timeout: orNull(fc.nat()),
      rename: text,
    })
    .map(toTool);
}

function anyAgent(): fc.Arbitrary<Agent> {
  return fc.record({
    name: anyText(),
    origin: fc.constant(ORIGIN),
    tools: orNull(anyToolNames()),
    disallowed: anyToolNames(),
    denied: fc.array(anyCallRule(), { maxLength: 2 }),
    toolGroups: orNull(anyNames()),
    prompt: orNull(anyText()),
    defer: anySourced(fc.constantFrom("auto", "never")),
    coordinator: anySourced(fc.boolean()),
  });
}

const ORIGIN = { kind: "default" } as const;

function anyModel(): fc.Arbitrary<Model> {
  return fc.record({
    id: anyText(),
    origin: fc.constant(ORIGIN),
    capabilities: anyMap(fc.oneof(fc.boolean(), anyText())),
    variants: fc.array(anyText(), { maxLength: 3 }),
    maxTools: fc.integer({ min: 1 }),
    contextWindow: fc.integer({ min: 1 }),
    instructions: orNull(anyText()),
  });
}

function anyServers(): fc.Arbitrary<Map<string, Server>> {
  const server = fc.record({
    origin: fc.constant(ORIGIN),
    tools: orNull(anyNames()),
    defer: anySourced(fc.constantFrom("auto", "never")),
    group: orNull(anySourced(anyText())),
    feature: orNull(anySourced(anyText())),
    url: orNull(fc.webUrl()),
    argv: orNull(fc.array(anyText(), { minLength: 1, maxLength: 3 })),
    launch: orNull(anyText()),
    instructions: orNull(anyText()),
  });
  return anyMap(server).map((servers) => new Map([...servers].map(([name, one]) => [name, { name, ...one }])));
}

function anyMatch(): fc.Arbitrary<ServerMatch> {
  return fc.oneof(
    fc.record({ by: fc.constant("name" as const), name: anyText() }),
    fc.record({ by: fc.constant("url" as const), url: anyText() }),
    fc.record({ by: fc.constant("command" as const), argv: fc.array(anyText(), { maxLength: 3 }) }),
  );
}

function anySkill(): fc.Arbitrary<Skill> {
  return fc.record({
    name: anyText(),
    origin: fc.constant(ORIGIN),
    active: fc.boolean(),
    allowedTools: orNull(anyNames()),
    prompt: orNull(anyText()),
    description: orNull(anyText()),
  });
}

function anyPin(): fc.Arbitrary<Pin> {
  return fc.record({
    signature: anyText(),
    approved: fc.boolean(),
    launch: orNull(anyText()),
    signals: fc.array(anyText(), { maxLength: 2 }),
  });
}

function anyToolSearch(): fc.Arbitrary<ToolSearch> {
  return fc.oneof(
    fc.record({ use: fc.constantFrom("on" as const, "off" as const) }),
    fc.record({
      use: fc.constant("auto" as const),
      threshold: fc.option(fc.nat()),
      percent: fc.double({ min: 0, max: 100, noNaN: true }).map((percent) => percent + 0),
    }),
    fc.constant(DEFAULT_SCENE.toolSearch.value),
  );
}

function anyClient(): fc.Arbitrary<Client> {
  return fc
    .record({
      name: orNull(fc.oneof(anyText(), fc.constantFrom("claude-code", "Visual Studio Code"))),
      ownSearch: fc.boolean(),
      maxTools: orNull(fc.integer({ min: 1, max: 500 })),
      listChanged: fc.boolean(),
      late: fc.boolean(),
    })
    .map((stated) => ({ ...toClient(stated.name), ...stated, origin: ORIGIN }));
}

function anyPromotions(): fc.Arbitrary<Promotions> {
  return fc.record({
    catalogHash: orNull(anyText()),
    names: fc.array(anyText(), { maxLength: 3 }),
    signatures: anyMap(anyText()),
  });
}

/** Parentheses would say which calls are meant. */
function anyToolNames(): fc.Arbitrary<NameList> {
  const name = anyText().map((text) => text.replaceAll(/[\s()]/g, "_") || "_");
  return fc.array(name, { maxLength: 4 }).map((names) => nameList(names));
}

function anyCallRule(): fc.Arbitrary<Sourced<Rule>> {
  return anySourced(fc.constantFrom(" Bash ( rm:* )", "Agent(x, y)").map((text) => parseRule(text, ORIGIN)));
}

function anyRule(): fc.Arbitrary<Rule> {
  return fc
    .constantFrom("view", " Bash ( rm:* )", "Bash(*)", "mcp__github", "__proto__")
    .map((text) => parseRule(text, ORIGIN));
}

function anySet(): fc.Arbitrary<NamedSet> {
  return fc.record({ id: anyText(), name: anyText(), members: anyNames() });
}

function anyBuiltins(): fc.Arbitrary<Builtins> {
  const names = fc.array(anyText(), { maxLength: 3 }).map((list) => new Set(list));
  return fc.oneof(
    fc.constant(DEFAULT_SCENE.builtins),
    fc.oneof(fc.constantFrom("off" as const, "read" as const), names).map((which) => ({
      which,
      setting: "options.builtins",
      origin: ORIGIN,
    })),
  );
}

function anyScene(): fc.Arbitrary<Scene> {
  const flag = () => anySourced(fc.boolean());
  const matches = fc.array(anySourced(anyMatch()), { maxLength: 3 });
  return fc
    .record({
      builtins: anyBuiltins(),
      filter: fc.record({
        include: orNull(anyNames()),
        exclude: anyNames(),
        precedence: anySourced(fc.constantFrom("exclude", "include")),
        allowNoTools: flag(),
      }),
      limits: fc.array(
        fc.record(
          { include: orNull(anyNames()), exclude: anyNames(), by: fc.constant("policy" as const) },
          { requiredKeys: ["include", "exclude"] },
        ),
        { maxLength: 2 },
      ),
      agent: orNull(anyAgent()),
      defaultExcluded: anyNames(),
      toolGroups: orNull(anyNames()),
      mode: anySourced(fc.constantFrom(...MODES)),
      model: orNull(anyModel()),
      client: orNull(anyClient()),
      features: anyMap(flag()),
      host: fc.record({
        userInput: flag(),
        elicitation: flag(),
        workspace: flag(),
        memory: flag(),
        schedule: flag(),
        agents: flag(),
        agentModel: flag(),
        webSearch: flag(),
        store: flag(),
        instructions: flag(),
      }),
      sandbox: fc.record({ active: flag(), allowHostShell: flag() }),
      policy: fc.record({
        allowedServers: orNull(anySourced(matches)),
        deniedServers: matches,
        deniedTools: anyNames(),
      }),
      servers: anyServers(),
      deny: fc.array(anySourced(anyRule()), { maxLength: 3 }),
      skills: fc.array(anySkill(), { maxLength: 3 }),
      skillToolPolicy: anySourced(fc.constantFrom(...SKILL_TOOL_POLICIES)),
      pins: orNull(anySourced(anyMap(anyPin()))),
      toolSearch: anySourced(anyToolSearch()),
      promoted: anyPromotions(),
      sets: fc.array(anySet(), { maxLength: 2 }),
    })
    .map((scene) => ({
      ...DEFAULT_SCENE,
      ...scene,
      host: { ...scene.host, skills: sourced(scene.skills.length > 0) },
    }));
}
