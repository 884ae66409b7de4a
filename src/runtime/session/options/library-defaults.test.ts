import { describe, expect, onTestFinished, test } from "vitest";
import { packagedServer } from "../../../../test/support/mcp-sources.ts";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { toTool } from "../../../core/tool/tool.ts";
import { CONNECTED, type Source } from "../../../sources/source.ts";
import { createSession } from "../library.ts";
import type { Session } from "../public-session.ts";
import type { SessionOptions } from "./session-options.ts";

const weather = defineTool("weather", {
  description: "Tells the weather",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  handler: ({ city }) => `sunny in ${String(city)}`,
});

describe("a program that brings one tool", () => {
  test("gets that tool and no other, and it runs", async () => {
    const session = await start({ tools: [weather] });
    expect(visible(session)).toEqual(["weather"]);
    expect(await session.call("weather", { city: "Oslo" })).toMatchObject({ textResultForLlm: "sunny in Oslo" });
    expect(await session.call("bash", { command: "true" })).toMatchObject({ resultType: "failure" });
    expect(session.why("bash")).toMatchObject({
      explanations: [{ standing: "hidden", reasons: [{ reason: { code: "builtin.off" } }] }],
    });
  });

  test.each<[string, SessionOptions]>([
    ["a rule denies it", { permissions: { deny: ["weather(city:*)"] } }],
    ["a rule asks and nobody is there", { permissions: { ask: ["weather"] } }],
    ["hostTools is ask", { permissions: { hostTools: "ask" } }],
    ["the mode is dont-ask", { mode: "dont-ask" }],
    ["the handler says no", { onPermissionRequest: () => ({ decision: "deny" }) }],
    ["a hook says no", { hooks: { onPermissionRequest: () => ({ decision: "deny" }) } }],
    ["a hook asks and nobody is there", { hooks: { onPreToolUse: () => ({ permissionDecision: "ask" }) } }],
    ["the classifier says no", { classifier: { filter: () => ({ verdict: "unsafe", reason: "no" }) } }],
  ])("its tool is denied where %s", async (_, options) => {
    const session = await start({ tools: [weather], ...options });
    expect(await session.call("weather", { city: "Oslo" })).toMatchObject({ resultType: "denied" });
  });

  test("what a connection brings still needs a rule", async () => {
    const session = await start({});
    session.setTools("connection:ide", [weather]);
    expect(await session.call("weather", { city: "Oslo" })).toMatchObject({ resultType: "denied" });
  });

  test("may call its tool like a built-in, without a flag", async () => {
    const view = defineTool("view", { description: "Shows", parameters: { type: "object" }, handler: () => "mine" });
    const session = await start({ tools: [view] });
    expect(await session.call("view")).toMatchObject({ textResultForLlm: "mine" });
    expect(session.why("builtin:view")).toMatchObject({ explanations: [{ standing: "hidden" }] });
    await expect(session.updateOptions({ builtins: "all" })).rejects.toMatchObject({ code: "tool.name-conflict" });
  });

  test("turns built-ins on by a word or by name, at any time", async () => {
    const session = await start({ tools: [weather], builtins: ["view", "grpe"] });
    expect(visible(session)).toEqual(["view", "weather"]);
    expect(session.toolset.notices).toContainEqual(expect.objectContaining({ names: ["grpe"] }));
    await session.updateOptions({ builtins: "read" });
    expect(visible(session)).toEqual(expect.arrayContaining(["view", "grep", "glob"]));
    expect(visible(session)).not.toContain("edit");
    await session.updateOptions({ builtins: false });
    expect(visible(session)).toEqual(["weather"]);
  });
});

test("a long result can be read on without any file tool, and nothing else can", async () => {
  const long = defineTool("long", {
    description: "Says much",
    parameters: { type: "object" },
    handler: () => "größer ".repeat(2_000),
  });
  const session = await start({ tools: [long], limits: { resultBytes: 1_000 } });
  expect(visible(session)).toEqual(["long"]);
  const { textResultForLlm: text } = await session.call("long");
  const id = /read_result reads it by the id "([^"]+)"/.exec(text)?.[1];
  expect(visible(session)).toEqual(["read_result", "long"]);
  let all = "";
  for (let offset: string | undefined = "0"; offset !== undefined; ) {
    const part = await session.call("read_result", { id, offset: Number(offset) });
    expect(part.resultType).toBe("success");
    all += part.textResultForLlm.slice(part.textResultForLlm.indexOf("\n\n") + 2);
    offset = /Go on with offset (\d+)/.exec(part.textResultForLlm)?.[1];
  }
  expect(all).toBe("größer ".repeat(2_000));
  for (const other of ["../../../etc/passwd", `${id}.txt`, "x"])
    expect(await session.call("read_result", { id: other })).toMatchObject({ resultType: "failure" });
  const another = await start({ tools: [long], limits: { resultBytes: 1_000 } });
  await another.call("long");
  expect(await another.call("read_result", { id })).toMatchObject({ resultType: "failure" });
});

test("with a view that reads files, nothing more is listed for long results", async () => {
  const long = defineTool("long", {
    description: "Says much",
    parameters: { type: "object" },
    handler: () => "x".repeat(2_000),
  });
  const session = await start({ tools: [long], builtins: ["view"], limits: { resultBytes: 1_000 } });
  expect((await session.call("long")).textResultForLlm).not.toContain("read_result");
  expect(visible(session)).toEqual(["view", "long"]);
});

test("a source of the program's own lists, runs, and is closed when it is left out", async () => {
  const own = createClockSource();
  const session = await start({ sources: [own.source], permissions: { allow: ["now"] } });
  expect(visible(session)).toEqual(["now"]);
  expect(await session.call("now")).toMatchObject({ textResultForLlm: "noon" });
  await session.updateOptions({ excludedTools: ["x"] });
  expect(own.closed).toBe(0);
  await session.updateOptions({ sources: [], allowNoTools: true });
  expect(own.closed).toBe(1);
  expect(visible(session)).toEqual([]);
});

test("a source that calls itself built-in is refused", async () => {
  const { source } = createClockSource();
  await expect(start({ sources: [{ ...source, kind: "builtin" }] })).rejects.toMatchObject({ code: "config.invalid" });
});

test("a memory of the program's own brings the two tools that use it", async () => {
  const facts: { subject: string; fact: string }[] = [];
  const session = await start({
    permissions: { allow: ["store_memory"] },
    memory: { store: async (subject, fact) => void facts.push({ subject, fact }), recall: async () => facts },
  });
  expect(visible(session)).toEqual(["recall_memory", "store_memory"]);
  expect(await session.call("store_memory", { subject: "tea", fact: "green" })).toMatchObject({
    resultType: "success",
  });
  expect(facts).toEqual([{ subject: "tea", fact: "green" }]);
  expect((await session.call("recall_memory")).textResultForLlm).toContain("green");
});

test("an approved plan ends plan mode", async () => {
  const plans: string[] = [];
  const session = await start({
    tools: [weather],
    mode: "plan",
    approvePlan: async (plan) => ({ approved: plans.push(plan) > 1, feedback: "more detail" }),
  });
  expect(visible(session)).toEqual(["exit_plan_mode"]);
  expect(await session.call("exit_plan_mode", { plan: "one" })).toMatchObject({ resultType: "rejected" });
  expect(await session.call("exit_plan_mode", { plan: "two" })).toMatchObject({ resultType: "success" });
  expect(plans).toEqual(["one", "two"]);
  expect(visible(session)).toEqual(["weather"]);
});

test("a program's own tool may be called like one that belongs to a mode", async () => {
  const names = ["exit_plan_mode", "task_complete"];
  const tools = names.map((name) => defineTool(name, { description: "Mine", handler: async () => `my ${name}` }));
  const session = await start({ tools });
  expect(visible(session)).toEqual(names);
  for (const name of names) expect(await session.call(name)).toMatchObject({ textResultForLlm: `my ${name}` });
});

test("what an MCP server asks people reaches the program, and its answer the server", async () => {
  const asked: unknown[] = [];
  const everything = packagedServer("everything");
  const session = await start({
    mcpServers: { all: { command: process.execPath, args: [everything, "stdio"] } },
    permissions: { allow: ["all/trigger-elicitation-request"] },
    onElicitationRequest: async (request) => {
      asked.push(request);
      return { action: "accept", content: { name: "Ada", check: true } };
    },
  });
  await session.settled();
  const { textResultForLlm } = await session.call("all/trigger-elicitation-request");
  expect(asked).toEqual([expect.objectContaining({ server: "all", mode: "form", message: expect.any(String) })]);
  expect(textResultForLlm).toContain("Ada");
});

test("interrupting cancels what runs, as the user", async () => {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const wait = defineTool("wait", {
    description: "Waits",
    parameters: { type: "object" },
    traits: { interrupt: "cancel" },
    handler: (_args, { signal }) => {
      begin();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  const session = await start({ tools: [wait, weather] });
  session.interrupt();
  const call = session.call("wait");
  await begun;
  session.interrupt();
  expect(await call).toMatchObject({ resultType: "failure", cancelledBy: "user" });
  expect(await session.call("weather", { city: "Rome" })).toMatchObject({ resultType: "success" });
});

async function start(options: SessionOptions): Promise<Session> {
  const session = await createSession({ workspace: tempWorkspace().project, ...options });
  onTestFinished(() => session.close());
  return session;
}

function visible({ toolset }: Session): readonly string[] {
  return toolset.placements.filter(({ standing }) => standing === "visible").map(({ entry }) => entry.wireName);
}

function createClockSource(): { readonly source: Source; readonly closed: number } {
  const tools = [toTool({ name: "now", source: "module", description: "Tells the time" })];
  const state = { closed: 0 };
  return {
    source: {
      kind: "module",
      name: "clock",
      status: CONNECTED,
      list: async () => tools,
      run: async () => ({ textResultForLlm: "noon", resultType: "success" }),
      changes: () => () => {},
      close: async () => void state.closed++,
    },
    get closed() {
      return state.closed;
    },
  };
}
