import { describe, expect, test } from "vitest";
import { formatOrigin } from "../codes/origin.ts";
import { isToolcribError, type ToolcribError } from "../codes/toolcrib-error.ts";
import { toTool } from "../tool/tool.ts";
import { DEFAULT_SCENE } from "./default-scene.ts";
import { readWorld } from "./world.ts";

const read = (value: unknown) => readWorld(value, "w.json");
const options = (value: unknown) => read({ options: value }).scene;

describe("defaults", () => {
  test.each([{}, { tools: null, toolsets: null, options: null }, { options: {} }])(
    "%j is the default scene",
    (value) => {
      expect(read(value)).toEqual({ tools: [], scene: DEFAULT_SCENE, wireStyle: "server__tool", notices: [] });
    },
  );

  test("a tool needs a name and nothing else, and null equals absent", () => {
    const keys = [
      "id",
      "source",
      "server",
      "owner",
      "aliases",
      "group",
      "title",
      "description",
      "inputSchema",
      "traits",
    ];
    const more = ["requires", "variant", "feature", "defer", "internal", "overridesBuiltInTool", "skipPermission"];
    const nulls = Object.fromEntries([...keys, ...more].map((key) => [key, null]));
    const { tools, notices } = read({ tools: [{ name: "view" }, { name: "view", ...nulls }] });
    expect(tools).toEqual([toTool({ name: "view" }), toTool({ name: "view" })]);
    expect(notices).toEqual([]);
  });

  test("every option that is null counts as absent", () => {
    const nulls = Object.fromEntries(
      "includeTools excludeTools availableTools excludedTools allowNoTools filterPrecedence agent agents defaultAgent toolGroups mode model features handlers host sandbox policy servers permissions skills skillToolPolicy pins locked toolSearch promoted wireNames"
        .split(" ")
        .map((key) => [key, null]),
    );
    expect(read({ options: nulls })).toEqual(read({}));
  });

  test("a member of a map that is null counts as absent, and nothing is inherited", () => {
    const scene = options({ features: { a: null }, servers: { b: null }, pins: { c: null } });
    expect([scene.features.size, scene.servers.size, scene.pins]).toEqual([0, 0, null]);
    expect(read(Object.create({ tools: 5 })).tools).toEqual([]);
  });

  test("the example of the contract reads without notices", () => {
    const { notices, scene, tools } = read(CONTRACT_EXAMPLE);
    expect(notices).toEqual([]);
    expect(tools[0]).toEqual(
      toTool({ name: "editFile", id: "vscode_editFile", description: "…", inputSchema: { type: "object" } }),
    );
    expect(scene.model).toMatchObject({ id: "m", variants: ["edit:replace"], maxTools: 128, contextWindow: 200_000 });
    expect(scene.sets).toMatchObject([{ id: "toolset:edit", name: "edit" }]);
    expect(scene.pins?.value.get("github/create_issue")).toEqual({ signature: "…", approved: true, launch: null });
  });

  test("parts of a model, a skill, a pin and a toolset that are absent have defaults", () => {
    const scene = options({ model: {}, skills: [{ name: "s" }], pins: { a: { signature: "x" } } });
    expect(scene.model).toMatchObject({ variants: ["edit:replace"], maxTools: 128, contextWindow: 200_000 });
    expect(scene.skills).toMatchObject([{ active: true, allowedTools: null, prompt: null }]);
    expect(scene.pins?.value.get("a")).toEqual({ signature: "x", approved: true, launch: null });
    expect(read({ toolsets: [{ name: "edit" }, { id: "only" }] }).scene.sets).toMatchObject([
      { id: "toolset:edit", name: "edit" },
      { id: "only", name: "only" },
    ]);
  });
});

describe("tools", () => {
  test("needs that are true are kept, under any key", () => {
    const requires = JSON.parse('{"vision":true,"audio":false,"__proto__":true,"toString":true}');
    expect(read({ tools: [{ name: "look", requires }] }).tools[0]?.requires).toEqual([
      "vision",
      "__proto__",
      "toString",
    ]);
  });

  test("the built-in ask_user needs userInput without saying so (G2)", () => {
    const { tools } = read({
      tools: [
        { name: "ask_user" },
        { name: "ask_user", requires: { userInput: false } },
        { name: "ask_user", source: "mcp" },
      ],
    });
    expect(tools.map(({ requires }) => requires)).toEqual([["userInput"], ["userInput"], []]);
  });

  test("an input schema is carried as it is, whatever it holds (N8 is judged later)", () => {
    for (const inputSchema of [7, "x", [], false, { type: "array" }]) {
      expect(read({ tools: [{ name: "a", inputSchema }] }).tools[0]?.inputSchema).toBe(inputSchema);
    }
  });

  test("traits that are not stated take their defaults", () => {
    const { traits } = read({ tools: [{ name: "a", traits: { readOnly: true, hostShell: true } }] }).tools[0] ?? {};
    expect(traits).toMatchObject({ readOnly: true, concurrencySafe: true, hostShell: true, openWorld: true });
  });

  test("among tools that are read as they are, one with a mistake is named by its place, and an odd one is read", () => {
    const plain = { name: "a", source: "mcp", server: "s", traits: { readOnly: true } };
    const odd = { ...plain, requires: { vision: true }, owner: null, more: 1 };
    const { tools, notices } = read({ tools: [plain, odd, plain] });
    expect(tools.map(({ requires }) => requires)).toEqual([[], ["vision"], []]);
    expect(tools.map(({ traits }) => traits.readOnly)).toEqual([true, true, true]);
    expect(notices).toMatchObject([{ code: "world.unknown-key", names: ["more"], origin: { path: "tools[1].more" } }]);
    const wrong = [plain, { ...plain, traits: { readOnly: 1 } }, { source: "mcp" }, null, plain];
    expect(() => read({ tools: wrong })).toThrow(
      /tools\[1\]\.traits\.readOnly.*\n.*"name" is missing in tools\[2\].*\n.*tools\[3\]/,
    );
  });

  test("a definition before its overrides is read too, one level deep", () => {
    const original = { name: "a", description: "before", original: { name: "b" } };
    const { tools, notices } = read({ tools: [{ name: "a", rename: "z", original }] });
    expect(tools[0]).toMatchObject({ rename: "z", original: { description: "before", original: null } });
    expect(notices).toMatchObject([{ code: "world.unknown-key", names: ["original"] }]);
  });
});

describe("options", () => {
  test("every value says where it stands in the file", () => {
    const scene = options({
      excludeTools: ["a", "b"],
      mode: "plan",
      features: { "new ui": true },
      policy: { deniedMcpServers: ["x"] },
    });
    expect(formatOrigin(scene.filter.exclude.origin)).toBe("w.json options.excludeTools");
    expect(scene.filter.exclude.value.map(({ origin }) => formatOrigin(origin))).toEqual([
      "w.json options.excludeTools[0]",
      "w.json options.excludeTools[1]",
    ]);
    expect(scene.mode).toEqual({ value: "plan", origin: { kind: "world", file: "w.json", path: "options.mode" } });
    expect(scene.features.get("new ui")?.origin).toMatchObject({ path: 'options.features["new ui"]' });
    expect(scene.policy.deniedServers[0]?.origin).toMatchObject({ path: "options.policy.deniedMcpServers[0]" });
    expect(scene.filter.include).toBeNull();
    expect(scene.filter.precedence.origin).toEqual({ kind: "default" });
  });

  test("availableTools and excludedTools are the same two options (F1)", () => {
    const { filter } = options({ availableTools: [], excludedTools: ["b"] });
    expect(filter.include).toMatchObject({ value: [], origin: { path: "options.availableTools" } });
    expect(filter.exclude).toMatchObject({ value: [{ value: "b" }], origin: { path: "options.excludedTools" } });
    expect(errorOf({ options: { availableTools: [], includeTools: ["a"] } }).message).toContain(
      '"availableTools" and "includeTools" are the same setting; keep one of them',
    );
    expect(options({ includeTools: null, availableTools: ["a"] }).filter.include?.value).toHaveLength(1);
  });

  test.each([
    ["auto", { use: "auto", threshold: null, percent: 10 }],
    ["on", { use: "on" }],
    ["off", { use: "off" }],
    [{}, { use: "auto", threshold: null, percent: 10 }],
    [{ threshold: 5 }, { use: "auto", threshold: 5, percent: 10 }],
    [{ threshold: 30 }, { use: "auto", threshold: 30, percent: 10 }],
    [{ percent: 2.5 }, { use: "auto", threshold: null, percent: 2.5 }],
  ])("toolSearch %j is %j (D1)", (toolSearch, expected) => {
    expect(options({ toolSearch }).toolSearch.value).toEqual(expected);
  });

  test("a policy names servers by name, address or command line (G7)", () => {
    const { policy } = options({
      policy: {
        allowedMcpServers: [
          "a",
          { serverName: "b" },
          { serverUrl: "https://*.corp/*" },
          { serverCommand: ["npx", "x"] },
        ],
        deniedTools: ["t"],
      },
    });
    expect(policy.allowedServers?.value.map(({ value }) => value)).toEqual([
      { by: "name", name: "a" },
      { by: "name", name: "b" },
      { by: "url", url: "https://*.corp/*" },
      { by: "command", argv: ["npx", "x"] },
    ]);
    expect(policy.deniedServers).toEqual([]);
    const two = { serverName: "a", serverUrl: "b" };
    expect(errorOf({ options: { policy: { deniedMcpServers: [two] } } }).message).toContain(
      "must have exactly one of serverName, serverUrl, serverCommand; found serverName and serverUrl",
    );
    expect(options({ policy: { allowedMcpServers: [] } }).policy.allowedServers?.value).toEqual([]);
  });

  test("a server keeps what gates and pins look at", () => {
    const servers = {
      github: { tools: [], defer: "never", group: "g", command: "npx", args: ["-y"], url: "u", launch: "l" },
    };
    expect(options({ servers }).servers.get("github")).toMatchObject({
      name: "github",
      tools: { value: [] },
      defer: { value: "never" },
      group: { value: "g" },
      argv: ["npx", "-y"],
      url: "u",
      launch: "l",
    });
    expect(options({ servers: { a: {} } }).servers.get("a")).toMatchObject({ tools: null, argv: null, group: null });
  });

  test("requires.skills is met when any skill is listed", () => {
    expect(options({ skills: [] }).host.skills.value).toBe(false);
    expect(options({ skills: [{ name: "s", active: false }] }).host.skills).toEqual({
      value: true,
      origin: { kind: "world", file: "w.json", path: "options.skills" },
    });
  });

  test("no pins is no lock file; an empty lock file says so", () => {
    expect(options({ pins: {} }).pins).toBeNull();
    expect(options({ pins: {}, locked: true }).pins?.value.size).toBe(0);
  });

  test("deny rules are read, and one that cannot be read is an error", () => {
    expect(options({ permissions: { deny: ["Bash(rm:*)", "web"] } }).deny.map(({ value }) => value)).toMatchObject([
      { tool: "Bash", specifier: "rm:*" },
      { tool: "web", specifier: null },
    ]);
    expect(errorOf({ options: { permissions: { deny: ["("] } } })).toMatchObject({ code: "rule.invalid" });
    expect(errorOf({ options: { permissions: { deny: ["("], allow: 1 } } })).toMatchObject({ code: "world.invalid" });
  });
});

describe("agents", () => {
  test("the selected one is in the scene; of two with one name the first", () => {
    const agents = [
      { name: "a" },
      { name: "r", tools: ["x"], disallowedTools: ["y"], defer: "never", prompt: "p" },
      { name: "r" },
    ];
    expect(options({ agent: "r", agents }).agent).toMatchObject({
      name: "r",
      origin: { path: "options.agents[1]" },
      tools: { value: [{ value: "x" }] },
      disallowed: { value: [{ value: "y" }] },
      defer: { value: "never" },
      prompt: "p",
    });
    expect(options({ agents }).agent).toBeNull();
    expect(options({ agent: "constructor", agents: [{ name: "constructor" }] }).agent?.tools).toBeNull();
  });

  test("an unknown one is an error with the nearest name (A1)", () => {
    const error = errorOf({ options: { agent: "revewer", agents: [{ name: "reviewer" }, { name: "triage" }] } });
    expect(error).toMatchObject({ code: "agent.unknown", names: ["revewer", "reviewer"] });
    expect(error.message).toContain('did you mean "reviewer"?');
    expect(errorOf({ options: { agent: "toString" } })).toMatchObject({ code: "agent.unknown", names: ["toString"] });
  });
});

describe("wrong shapes", () => {
  test.each([
    [null, "the file must be a map; found nothing"],
    [[], "the file must be a map; found a list"],
    [{ tools: {} }, "tools must be a list; found a map"],
    [{ tools: [{}] }, 'the key "name" is missing in tools[0]'],
    [{ tools: ["view"] }, 'tools[0] must be a map; found "view"'],
    [{ tools: [{ name: "a", aliases: [1] }] }, "tools[0].aliases[0] must be text; found 1"],
    [
      { tools: [{ name: "a", source: "mpc" }] },
      'tools[0].source must be one of builtin, module, skill, agent, mcp, openapi, external; found "mpc"; did you mean "mcp"?',
    ],
    [
      { tools: [{ name: "a", requires: { vision: "yes" } }] },
      'tools[0].requires.vision must be true or false; found "yes"',
    ],
    [
      { options: { model: { maxTools: 1.5 } } },
      "options.model.maxTools must be a whole number of at least 1; found 1.5",
    ],
    [{ options: { model: { maxTools: 0 } } }, "options.model.maxTools must be a whole number of at least 1; found 0"],
    [
      { options: { toolSearch: { percent: -1 } } },
      "options.toolSearch.percent must be a number of at least 0; found -1",
    ],
    [{ options: { toolSearch: true } }, "options.toolSearch must be one of auto, on, off, or a map; found true"],
    [{ options: { servers: { a: { args: ["x"] } } } }, "options.servers.a has args and no command"],
    [
      { options: { policy: { deniedMcpServers: [{}] } } },
      "options.policy.deniedMcpServers[0] must have exactly one of serverName, serverUrl, serverCommand; found none",
    ],
    [
      { options: { model: { capabilities: { vision: 1 } } } },
      "options.model.capabilities.vision must be true or false, or text; found 1",
    ],
    [
      { options: { permissions: { mode: "yolo" } } },
      'options.permissions.mode must be one of default, plan, accept-edits, dont-ask, bypass, autopilot; found "yolo"',
    ],
  ])("%j: %s", (value, text) => {
    const error = errorOf(value);
    expect(error.code).toBe("world.invalid");
    expect(error.message).toContain(`w.json: ${text}`);
  });

  test("all problems are told in one error, each with its path", () => {
    const error = errorOf({ tools: [{ name: 1 }, 2], options: { mode: 3, "x y": {}, servers: { "a b": 4 } } });
    expect(error.names).toEqual(["tools[0].name", "tools[1]", "options.mode", 'options.servers["a b"]']);
    for (const name of error.names) expect(error.message).toContain(name);
  });

  test("no more than twenty are told, nothing long is quoted, and nothing that a terminal would act on", () => {
    const many = errorOf({ tools: Array.from({ length: 1_000 }, () => 0) });
    expect(many.message.split("\n")).toHaveLength(22);
    expect(many.message).toContain("and 980 more");
    const long = errorOf({
      options: { mode: "x".repeat(10_000), servers: { ["k".repeat(10_000)]: "\u001b[2J\u202e" } },
    });
    expect(long.message.length).toBeLessThan(500);
    expect(long.message.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
  });
});

describe("unknown keys", () => {
  test("each is a notice with the nearest valid key", () => {
    const { notices } = read({
      toolz: [],
      options: { exludeTools: [] },
      tools: [{ name: "a", traits: { readonly: true } }],
    });
    expect(notices.map(({ code, level, names }) => [code, level, names])).toEqual([
      ["world.unknown-key", "warning", ["toolz"]],
      ["world.unknown-key", "warning", ["exludeTools"]],
      ["world.unknown-key", "warning", ["readonly"]],
    ]);
    expect(notices.map(({ text }) => text)).toEqual([
      'unknown key "toolz"; did you mean "tools"?',
      'unknown key "exludeTools" in options; did you mean "excludeTools"?',
      'unknown key "readonly" in tools[0].traits; did you mean "readOnly"?',
    ]);
  });

  test("after twenty only their number is told", () => {
    const { notices } = read(Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key${at}`, 0])));
    expect(notices).toHaveLength(21);
    expect(notices[20]?.text).toBe("and 49980 more keys that nothing reads");
  });

  test("maps may have any key, and __proto__ is one of them", () => {
    const map = '{"__proto__":X,"constructor":X,"":X}';
    const { scene, notices } = read({
      options: {
        features: JSON.parse(map.replaceAll("X", "true")),
        servers: JSON.parse(map.replaceAll("X", "{}")),
        pins: JSON.parse(map.replaceAll("X", '{"signature":"s"}')),
        promoted: { signatures: JSON.parse(map.replaceAll("X", '"s"')) },
        model: { capabilities: JSON.parse(map.replaceAll("X", "true")) },
      },
    });
    const keys = ["__proto__", "constructor", ""];
    expect([...scene.features.keys()]).toEqual(keys);
    expect([...scene.servers.keys()]).toEqual(keys);
    expect([...(scene.pins?.value.keys() ?? [])]).toEqual(keys);
    expect([...scene.promoted.signatures.keys()]).toEqual(keys);
    expect([...(scene.model?.capabilities.keys() ?? [])]).toEqual(keys);
    expect(notices).toEqual([]);
  });

  test("an unknown __proto__ key changes nothing but the notices", () => {
    const { tools, notices } = read(
      JSON.parse('{"tools":[{"name":"a","__proto__":{"title":"t"}}],"__proto__":{"options":1}}'),
    );
    expect(tools).toEqual([toTool({ name: "a" })]);
    expect(notices.map(({ names }) => names[0])).toEqual(["__proto__", "__proto__"]);
  });
});

function errorOf(value: unknown): ToolcribError {
  try {
    read(value);
  } catch (error) {
    if (isToolcribError(error)) return error;
    throw error;
  }
  throw new Error("nothing was wrong");
}

const CONTRACT_EXAMPLE = {
  tools: [
    {
      name: "editFile",
      id: "vscode_editFile",
      source: "builtin",
      server: null,
      aliases: [],
      group: null,
      title: null,
      description: "…",
      inputSchema: { type: "object" },
      traits: { readOnly: false, hostShell: false },
      requires: {
        vision: false,
        userInput: false,
        elicitation: false,
        workspace: false,
        memory: false,
        skills: false,
        schedule: false,
      },
      variant: null,
      feature: null,
      defer: "auto",
      internal: null,
      overridesBuiltInTool: false,
      skipPermission: false,
    },
  ],
  toolsets: [{ id: "toolset:edit", name: "edit", members: ["vscode_editFile"] }],
  options: {
    includeTools: null,
    excludeTools: null,
    allowNoTools: false,
    filterPrecedence: "exclude",
    agent: null,
    agents: [],
    defaultAgent: { excludedTools: [] },
    toolGroups: null,
    mode: "default",
    model: {
      id: "m",
      capabilities: { vision: false },
      variants: ["edit:replace"],
      maxTools: 128,
      contextWindow: 200_000,
    },
    features: {},
    handlers: { userInput: false, elicitation: false },
    host: { workspace: true, memory: false, schedule: false },
    sandbox: { active: false, allowHostShell: false },
    policy: { allowedMcpServers: null, deniedMcpServers: [], deniedTools: [] },
    servers: { github: { tools: ["*"], defer: "auto", group: null } },
    permissions: { deny: [] },
    skills: [{ name: "s", active: true, allowedTools: ["view"] }],
    skillToolPolicy: "restrict",
    pins: { "github/create_issue": { signature: "…", approved: true } },
    toolSearch: "auto",
    promoted: { catalogHash: null, names: [], signatures: {} },
  },
};
