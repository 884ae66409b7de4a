import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../test/support/config-workspace.ts";
import { nameList } from "../core/codes/origin.ts";
import { DEFAULT_SCENE } from "../core/scene/default-scene.ts";
import { toModel } from "./models.ts";
import { toScene } from "./to-scene.ts";

const scene = async (text: string, flags = {}, facts = {}) =>
  toScene(await createWorkspace({ user: text }).load(flags), facts);

test("without configuration the scene is the one in which nobody has said anything", async () => {
  expect(await scene("")).toEqual(DEFAULT_SCENE);
});

test("configuration becomes facts with origins", async () => {
  const made = await scene(
    `includeTools: [a]
excludeTools: [b]
toolGroups: [g]
features: { f: true }
permissions: { mode: plan, deny: ["bash"] }
sandbox: { allowHostShell: true }
mcpServers:
  s: { command: npx, args: [-y, x], tools: [t], defer: never, group: web }
  h: { url: "https://h" }
toolsets: { review: [view] }
skillToolPolicy: off
toolSearch: on
defaultAgent: { excludedTools: [d] }
`,
  );
  expect(made.filter).toMatchObject({
    include: { value: [{ value: "a", origin: { line: 1 } }] },
    exclude: { value: [{ value: "b" }] },
  });
  expect(made.toolGroups?.value).toMatchObject([{ value: "g" }]);
  expect(made.features.get("f")?.value).toBe(true);
  expect(made.mode.value).toBe("plan");
  expect(made.deny).toMatchObject([{ value: { tool: "bash", specifier: null } }]);
  expect(made.sandbox.allowHostShell.value).toBe(true);
  expect(made.servers.get("s")).toMatchObject({
    argv: ["npx", "-y", "x"],
    url: null,
    defer: { value: "never" },
    group: { value: "web" },
  });
  expect(made.servers.get("h")).toMatchObject({ argv: null, url: "https://h", tools: null });
  expect(made.servers.get("h")?.launch).toMatch(/^[0-9a-f]{64}$/);
  expect(made.sets).toMatchObject([{ name: "review" }]);
  expect(made.skillToolPolicy.value).toBe("off");
  expect(made.toolSearch.value).toEqual({ use: "on" });
  expect(made.defaultExcluded.value).toMatchObject([{ value: "d" }]);
});

test("facts of the run take their places", async () => {
  const skill = (name: string) => ({
    name,
    origin: { kind: "default" as const },
    active: false,
    allowedTools: null,
    prompt: null,
    description: null,
  });
  const made = await scene(
    "disabledSkills: [gone]\nagents: [{ name: a, skills: [pre] }]\nagent: a\nmcpServers: { s: { command: x } }",
    {},
    {
      handlers: { userInput: true },
      host: { workspace: false, memory: true },
      sandboxActive: true,
      skills: [skill("gone"), skill("pre"), skill("idle")],
      allowNoTools: true,
      filterPrecedence: "include",
      sets: [{ id: "i", name: "Read", members: nameList(["view"]) }],
      instructions: new Map([["s", "hello"]]),
    },
  );
  expect(made.host).toMatchObject({
    userInput: { value: true },
    workspace: { value: false },
    memory: { value: true },
    skills: { value: true },
  });
  expect(made.sandbox.active.value).toBe(true);
  expect(made.skills.map(({ name, active }) => [name, active])).toEqual([
    ["pre", true],
    ["idle", false],
  ]);
  expect(made.filter).toMatchObject({ allowNoTools: { value: true }, precedence: { value: "include" } });
  expect(made.sets.map(({ name }) => name)).toEqual(["Read"]);
  expect(made.servers.get("s")?.instructions).toBe("hello");
});

describe("the selected agent", () => {
  const AGENTS =
    "agents: [{ name: reviewer, tools: [view], model: gpt-5, mcpServers: { own: { command: x }, s: { command: evil } } }]\nmcpServers: { s: { command: good } }\n";

  test("brings its lists, its model and its own servers; configured servers keep their names", async () => {
    const made = await scene(`${AGENTS}agent: reviewer\nmodel: claude-x`);
    expect(made.agent).toMatchObject({ name: "reviewer", tools: { value: [{ value: "view" }] } });
    expect(made.model?.id).toBe("gpt-5");
    expect([...made.servers.keys()].sort()).toEqual(["own", "s"]);
    expect(made.servers.get("s")?.argv).toEqual(["good"]);
  });

  test("--model beats the agent's own, and so does managed policy", async () => {
    expect((await scene(AGENTS, { agent: "reviewer", model: "m" })).model?.id).toBe("m");
    const workspace = createWorkspace({ user: `${AGENTS}agent: reviewer`, policy: "model: p" });
    expect(toScene(await workspace.load()).model?.id).toBe("p");
  });

  test("that does not exist is an error with the nearest names", async () => {
    await expect(scene(AGENTS, { agent: "revewer" })).rejects.toMatchObject({
      code: "agent.unknown",
      message: '--agent: there is no agent "revewer"; did you mean "reviewer"?',
      names: ["revewer", "reviewer"],
      origin: { kind: "flag", flag: "--agent" },
    });
    await expect(scene("agent: constructor")).rejects.toMatchObject({ code: "agent.unknown", names: ["constructor"] });
  });
});

describe("models", () => {
  const facts = (id: string, own = new Map()) => {
    const { capabilities, variants, maxTools, contextWindow } = toModel(id, { kind: "default" }, own);
    return { capabilities: Object.fromEntries(capabilities), variants, maxTools, contextWindow };
  };

  test.each([
    ["claude-sonnet-4-5", { vision: true, toolSearch: "native" }, [], 128, 200_000],
    ["claude-opus-4.5", { vision: true, toolSearch: "native" }, [], 128, 200_000],
    ["anthropic/claude-opus-4-6", { vision: true, toolSearch: "native" }, [], 128, 200_000],
    ["claude-opus-4-1-20250805", { vision: true, toolSearch: false }, [], 128, 200_000],
    ["claude-sonnet-4-20250514", { vision: true, toolSearch: false }, [], 128, 200_000],
    ["claude-3-5-haiku-latest", { vision: true, toolSearch: false }, [], 128, 200_000],
    ["gpt-5", { vision: true }, ["edit:patch"], 128, 400_000],
    ["gpt-5.4-mini", { vision: true, toolSearch: "native" }, ["edit:patch"], 128, 400_000],
    ["gpt-4.1", { vision: true }, ["edit:patch"], 128, 1_047_576],
    ["gpt-4o", { vision: true }, ["edit:patch"], 128, 128_000],
    ["gemini-2.5-pro", { vision: true }, [], 512, 1_048_576],
    // As agent files of VS Code name them.
    ["Claude Sonnet 4.5 (copilot)", { vision: true, toolSearch: "native" }, [], 128, 200_000],
    ["GPT-4.1", { vision: true }, ["edit:patch"], 128, 1_047_576],
    ["Gemini 2.5 Pro (Preview)", { vision: true }, [], 512, 1_048_576],
    ["unheard-of", {}, [], 128, 200_000],
    ["", {}, [], 128, 200_000],
  ])("%s", (id, capabilities, variants, maxTools, contextWindow) => {
    expect(facts(id)).toEqual({ capabilities, variants, maxTools, contextWindow });
  });

  test("the user's lines lie on top: the more specific wins, then the later, by single fact", async () => {
    const made = await scene(`model: { provider: openai, id: gpt-5 }
models:
  "gpt-5": { maxTools: 7 }
  "gpt-*": { maxTools: 9, contextWindow: 1000, capabilities: { audio: true }, variants: ["todo:list"] }
  "*-5": { contextWindow: 2000 }
  "*": { capabilities: { audio: false, vision: false } }
`);
    expect(made.model).toMatchObject({ maxTools: 7, contextWindow: 1000, variants: ["edit:patch", "todo:list"] });
    expect(Object.fromEntries(made.model?.capabilities ?? [])).toEqual({ vision: false, audio: true });
    const tie = new Map([
      ["ab*", { value: { maxTools: 1 }, origin: { kind: "default" } }],
      ["*ab", { value: { maxTools: 2 }, origin: { kind: "default" } }],
    ]);
    expect(facts("abab", tie).maxTools).toBe(2);
  });
});
