import { describe, expect, test } from "vitest";
import { aWorld, type JudgedWorld } from "../../../test/fixtures/builders.ts";
import { MODES } from "../scene/scene.ts";

/** Gates that look at one fact of the scene each: feature, capability, mode, model, host-shell, group. */
const ask = (tools: readonly object[], options: object = {}): JudgedWorld => aWorld({ tools, options });
const external = (name: string, more: object = {}) => ({
  name,
  source: "external",
  inputSchema: { type: "object" },
  ...more,
});

describe("feature (G1)", () => {
  test("the reason tells an absent flag from one that is off, and where it is off", () => {
    const [absent] = ask([{ name: "t", feature: "x" }]).find("t").trace;
    expect(absent?.reason).toMatchObject({ text: 'feature "x" is not set', origin: { kind: "default" } });
    const [off] = ask([{ name: "t", feature: "x" }], { features: { x: false } }).find("t").trace;
    expect(off?.reason).toMatchObject({ text: 'feature "x" is off', origin: { path: "options.features.x" } });
    expect(off?.reason.fix).toBe("set features.x: true (world.json options.features.x)");
  });
});

describe("capability (G2)", () => {
  test.each([
    ["userInput", { handlers: { userInput: true } }],
    ["elicitation", { handlers: { elicitation: true } }],
    ["memory", { host: { memory: true } }],
    ["schedule", { host: { schedule: true } }],
    ["skills", { skills: [{ name: "s", active: false }] }],
  ])("%s is missing until the host has it", (need, options) => {
    const tools = [{ name: "t", requires: { [need]: true } }];
    expect(ask(tools).codes("t")).toEqual(["capability.missing"]);
    expect(ask(tools, options).visible).toEqual(["t"]);
  });

  test("a workspace is there unless the host says otherwise", () => {
    const tools = [{ name: "t", requires: { workspace: true } }];
    expect(ask(tools).visible).toEqual(["t"]);
    expect(ask(tools, { host: { workspace: false } }).codes("t")).toEqual(["capability.missing"]);
  });

  test("each missing need is a reason of its own", () => {
    const tools = [{ name: "t", requires: { memory: true, schedule: true, userInput: false } }];
    expect(ask(tools).codes("t")).toEqual(["capability.missing", "capability.missing"]);
  });

  test("the built-in ask_user needs user input without saying so, a tool of that name from elsewhere does not", () => {
    expect(ask([{ name: "ask_user" }]).codes("ask_user")).toEqual(["capability.missing"]);
    expect(ask([{ name: "ask_user", requires: { userInput: false } }]).codes("ask_user")).toEqual([
      "capability.missing",
    ]);
    expect(ask([{ name: "ask_user", source: "module" }]).visible).toEqual(["ask_user"]);
    expect(ask([{ name: "ask_user" }], { handlers: { userInput: true } }).visible).toEqual(["ask_user"]);
  });

  test("host needs are not asked of the model", () => {
    const world = ask([{ name: "t", requires: { memory: true } }], { model: {}, host: { memory: true } });
    expect(world.visible).toEqual(["t"]);
  });
});

describe("mode (G3)", () => {
  const TOOLS = [
    { name: "read", traits: { readOnly: true } },
    { name: "write" },
    { name: "exit_plan_mode" },
    { name: "task_complete", traits: { readOnly: true } },
  ];

  test.each([
    ["default", ["read", "write"]],
    ["plan", ["exit_plan_mode", "read"]],
    ["autopilot", ["read", "task_complete", "write"]],
    ["accept-edits", ["read", "write"]],
  ])("in %s mode %j are left", (mode, left) => {
    expect(ask(TOOLS, { mode }).visible).toEqual(left);
  });

  test("a tool of another server that calls itself so is neither bound to a mode nor let through", () => {
    const tools = ["exit_plan_mode", "task_complete"].map((name) => ({ name, source: "mcp", server: "s" }));
    expect(ask(tools).visible).toEqual(["s__exit_plan_mode", "s__task_complete"]);
    expect(ask(tools, { mode: "plan" }).visible).toEqual([]);
  });

  test.each(["default", "plan", "autopilot"])(
    "a program's own tool of such a name is like any other in %s mode",
    (mode) => {
      const names = ["exit_plan_mode", "task_complete"];
      expect(
        ask(
          names.map((name) => external(name)),
          { mode },
        ).visible,
      ).toEqual(mode === "plan" ? [] : names);
      const reading = names.map((name) => external(name, { traits: { readOnly: true } }));
      expect(ask(reading, { mode }).visible).toEqual(names);
    },
  );

  test("an external tool that openly replaces the way out of planning is the way out", () => {
    const tools = [{ name: "exit_plan_mode" }, external("exit_plan_mode", { overridesBuiltInTool: true, id: "mine" })];
    expect(ask(tools, { mode: "plan" }).standing("mine")).toBe("visible");
    expect(ask(tools).codes("mine")).toEqual(["mode.only-plan"]);
  });

  test.each(MODES)("read-only tools are there in %s mode", (mode) => {
    expect(ask(TOOLS, { mode }).standing("read")).toBe("visible");
  });
});

describe("model (G4)", () => {
  test("capabilities may be true or say how; false and absent are lacking", () => {
    const tools = [{ name: "t", requires: { audio: true } }];
    const has = (audio: unknown) => ask(tools, { model: { capabilities: { audio } } }).visible.length === 1;
    expect([true, "native", false].map(has)).toEqual([true, true, false]);
    expect(ask(tools, { model: {} }).codes("t")).toEqual(["model.lacks-capability"]);
  });

  const EDITORS = [
    { name: "edit", variant: "edit:replace" },
    { name: "apply_patch", variant: "edit:patch" },
  ];

  test.each([
    [undefined, ["edit"]],
    [[], ["edit"]],
    [["edit:replace"], ["edit"]],
    [["edit:patch"], ["apply_patch"]],
    [
      ["edit:patch", "edit:replace"],
      ["apply_patch", "edit"],
    ],
    [["shell:pty"], ["edit"]],
    [["edit:other"], []],
  ])("variants %j pick %j", (variants, left) => {
    expect(ask(EDITORS, { model: { variants } }).visible).toEqual(left);
  });

  test("a slot without a default takes any form until the model names one", () => {
    const tools = [
      { name: "a", variant: "shell:pty" },
      { name: "b", variant: "shell:pipe" },
    ];
    expect(ask(tools, { model: {} }).visible).toEqual(["a", "b"]);
    expect(ask(tools, { model: { variants: ["shell:pty"] } }).visible).toEqual(["a"]);
  });

  test("without a model there is nothing to judge", () => {
    expect(ask([...EDITORS, { name: "t", requires: { vision: true } }]).hidden).toEqual([]);
  });

  test("the editor of commands is there only for a model that asks for it", () => {
    const tools = [...EDITORS, { name: "editor", variant: "edit:commands" }];
    expect(ask(tools).hidden).toEqual(["editor"]);
    expect(ask(tools).codes("editor")).toEqual(["model.other-variant"]);
    expect(ask(tools, { model: { variants: ["edit:commands"] } }).visible).toEqual(["editor"]);
  });
});

describe("host-shell (G5)", () => {
  test("every source is judged by what its tool does", () => {
    for (const source of ["builtin", "module", "skill", "agent", "mcp", "external"]) {
      const tools = [
        { name: "run", source, server: "s", traits: { hostShell: true }, inputSchema: { type: "object" } },
      ];
      expect(ask(tools).hidden.length).toBe(1);
      expect(ask(tools, { sandbox: { active: true } }).hidden).toEqual([]);
      expect(ask(tools, { sandbox: { allowHostShell: true } }).hidden).toEqual([]);
    }
  });
});

describe("group (G6)", () => {
  test("the agent's groups narrow further, and both reasons show", () => {
    const tools = [{ name: "t", group: "a" }, { name: "u", group: "b" }, { name: "v" }];
    const agents = [{ name: "x", toolGroups: ["b"] }];
    const world = ask(tools, { toolGroups: ["a"], agent: "x", agents });
    expect(world.visible).toEqual(["v"]);
    expect(ask(tools, { agent: "x", agents }).visible).toEqual(["u", "v"]);
    expect(ask(tools, { toolGroups: [], agent: "x", agents: [{ name: "x", toolGroups: [] }] }).codes("t")).toEqual([
      "group.not-listed",
      "group.not-listed",
    ]);
  });

  test("a tool's own group comes before its server's", () => {
    const tools = [
      { name: "t", source: "mcp", server: "s", group: "own" },
      { name: "u", source: "mcp", server: "s" },
    ];
    const world = ask(tools, { toolGroups: ["own"], servers: { s: { group: "servers" } } });
    expect(world.visible).toEqual(["s__t"]);
  });

  test("null is no list", () => {
    expect(ask([{ name: "t", group: "a" }], { toolGroups: null }).visible).toEqual(["t"]);
  });
});
