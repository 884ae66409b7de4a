import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { createModuleSource } from "../../../sources/module/module-source.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";

async function start(options: SessionOptions): Promise<Session> {
  const session = await createSession({ builtins: "all", sandbox: { allowHostShell: true }, ...options });
  onTestFinished(() => session.close());
  return session;
}

const promptOf = (session: Session) => new Map(session.payload("anthropic").system.map(({ id, text }) => [id, text]));
const standingOf = (session: Session, name: string) =>
  session.toolset.placements.find(({ entry }) => entry.tool.name === name)?.standing;

test("a model that writes patches is told of the tools that it has", async () => {
  const session = await start({ model: "gpt-5", excludedTools: ["grep", "glob"] });
  expect(promptOf(session).get("tool:bash")).toBe(
    "Use bash for builds, tests and version control. For reading and changing files use view and apply_patch.",
  );
});

test("skills that wait are named to the model until they are loaded, and only where it can load them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolcrib-skills-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "review"));
  const text = "---\nname: review\ndescription: Reviews a change.\n---\nLook twice.\n";
  await writeFile(join(folder, "review", "SKILL.md"), text);
  const session = await start({ skillDirectories: [folder], permissions: { allow: ["skill"] } });
  expect(promptOf(session).get("waiting-skills")).toMatch(/\n- review: Reviews a change\.$/);
  expect([...promptOf(session).values()].join("\n")).not.toContain("Look twice.");
  expect(await session.call("skill", { name: "review" })).toMatchObject({ resultType: "success" });
  expect([promptOf(session).has("waiting-skills"), promptOf(session).get("skill:review")]).toEqual([
    false,
    expect.stringContaining("Look twice."),
  ]);
  const without = await start({ skillDirectories: [folder], excludedTools: ["skill"] });
  expect(promptOf(without).has("waiting-skills")).toBe(false);
});

test("what a host says about its tool and about a model is in the prompt", async () => {
  const weather = defineTool("weather", {
    description: "The weather",
    instructions: "Ask for the town first.",
    handler: async () => "sunny",
  });
  const models = { "my-*": { instructions: "Answer briefly." }, "my-long-*": { instructions: "Take your time." } };
  const session = await start({ tools: [weather], models, model: "my-model" });
  expect(promptOf(session).get("tool:weather")).toBe("Ask for the town first.");
  expect(promptOf(session).get("model:my-model")).toBe("Answer briefly.");
  await session.updateOptions({ model: "my-long-model" });
  expect(promptOf(session).get("model:my-long-model")).toBe("Take your time.");
  await session.updateOptions({ model: "another" });
  expect([...promptOf(session).keys()].filter((id) => id.startsWith("model:"))).toEqual([]);
});

test("an agent's model counts before the one a program begins with, and a change of the model before both", async () => {
  const customAgents = [{ name: "a", model: "agent-model" }, { name: "b" }];
  const session = await start({ customAgents, agent: "a", model: "program-model" });
  const model = () => session.toolset.scene.model?.id;
  expect(model()).toBe("agent-model");
  await session.updateOptions({ excludedTools: ["think"] });
  expect(model()).toBe("agent-model");
  await session.updateOptions({ model: "chosen" });
  expect(model()).toBe("chosen");
  await session.updateOptions({ excludedTools: [] });
  expect(model()).toBe("chosen");
  await session.updateOptions({ agent: "b" });
  expect(model()).toBe("chosen");
  await session.updateOptions({ agent: "a" });
  expect(model()).toBe("agent-model");
});

test("an exclude list that takes tools away is reported once, under the name that the program used", async () => {
  const session = await start({ excludedTools: ["think", "web_fetch", "nothing_like_it"] });
  const told: string[] = [];
  session.on("session.info", ({ code, text }) => void (code === "filter.disabled" && told.push(text)));
  await new Promise(setImmediate);
  expect(told).toEqual(['disabled by excludedTools: "think", "web_fetch"']);
  await session.refresh();
  await session.updateOptions({ excludedTools: ["view"] });
  expect(told.slice(1)).toEqual(['disabled by excludedTools: "view"']);
});

test("a defined tool has an id and a mark of its own, and a set any id", async () => {
  const handler = async () => "done";
  const session = await start({
    tools: [
      defineTool("deploy", { id: "acme:deploy", description: "Deploys", handler }),
      defineTool("direct", { internal: "coordinator-only", description: "Directs", handler }),
      defineTool("other", { description: "Does other things", handler }),
    ],
    toolsets: { ours: { id: "acme/ours", members: ["acme:deploy", "other"] } },
    customAgents: [{ name: "lead", coordinator: true }, { name: "worker" }],
    availableTools: ["acme:deploy", "direct"],
  });
  expect(session.why("acme:deploy")).toMatchObject({ kind: "found" });
  expect(["deploy", "direct", "other"].map((name) => standingOf(session, name))).toEqual([
    "visible",
    "visible",
    "hidden",
  ]);
  await session.updateOptions({ agent: "worker", availableTools: ["acme/ours", "direct"] });
  expect(["deploy", "direct", "other"].map((name) => standingOf(session, name))).toEqual([
    "visible",
    "hidden",
    "visible",
  ]);
  await session.updateOptions({ agent: "lead" });
  expect(standingOf(session, "direct")).toBe("visible");
  const wrong = () => defineTool("x", { description: "", handler, internal: "secret" as never });
  expect(wrong).toThrow(/its internal must be "dynamic-context" or/);
});

test("settings put flags, marks and ids on built-ins, with the line that did", async () => {
  const toolOverrides = {
    view: { feature: "looking" },
    think: { internal: "coordinator-only" },
    todo: { id: "acme:steps" },
  } as const;
  const session = await start({ toolOverrides, customAgents: [{ name: "worker" }], agent: "worker" });
  expect(["view", "think", "todo"].map((name) => standingOf(session, name))).toEqual(["hidden", "hidden", "visible"]);
  const { trace = [] } = session.toolset.placements.find(({ entry }) => entry.tool.name === "view") ?? {};
  expect(trace).toMatchObject([
    { gate: "feature", reason: { origin: { call: "createSession toolOverrides.view.feature" } } },
  ]);
  await session.updateOptions({ features: { looking: true }, excludedTools: ["acme:steps"] });
  expect(["view", "todo"].map((name) => standingOf(session, name))).toEqual(["visible", "hidden"]);
});

test("settings put them on a program's own tools too", async () => {
  const lint = defineTool("lint", { description: "Lints", handler: async () => "clean" });
  const session = await start({
    tools: [lint],
    toolOverrides: { lint: { id: "acme:lint", feature: "linting", internal: "dynamic-context" } },
  });
  const codes = () =>
    session.toolset.placements
      .find(({ entry }) => entry.tool.name === "lint")
      ?.trace.flatMap((line) => (line.reason === null ? [] : [line.reason.code]));
  expect(codes()).toEqual(["feature.off", "agent.dynamic-context"]);
  await session.updateOptions({ features: { linting: true }, availableTools: ["acme:lint"] });
  expect(codes()).toEqual([]);
  expect(await session.call("acme:lint")).toMatchObject({ textResultForLlm: "clean" });
});

test("entries of a file put flags, marks and ids on module tools", async () => {
  const workspace = createWorkspace({
    "t.mjs": 'export const t = { name: "t", description: "T", handler: () => "t" };',
  });
  const use = JSON.stringify(`${workspace.cwd}/t.mjs:t`);
  workspace.write("user", `tools: [{ name: t, use: ${use}, id: acme:t, feature: ts, internal: dynamic-context }]`);
  const config = await workspace.load();
  const source = createModuleSource({ tools: config.tools });
  onTestFinished(() => source.close());
  expect(await source.list(new AbortController().signal)).toMatchObject([
    { id: "acme:t", feature: "ts", featureAt: { kind: "file", line: 1 }, internal: "dynamic-context" },
  ]);
});
