import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { startReplayServer } from "../support/replay-server.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

type Json = Record<string, unknown>;

async function begin(replies: readonly unknown[], options: Json = {}, clock?: Parameters<typeof startRuntime>[3]) {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  const runtime = startRuntime(join(project, "home"), project, {}, clock);
  const client = runtime.connect();
  const ask = (method: string, params: Json = {}) => client.request(`session.${method}`, { sessionId: "s", ...params });
  await ask("create", { model: `scripted:${script}`, requestPermission: true, ...options });
  const dataOf = (type: string) => client.events.flatMap((event) => (event.type === type ? [event.data] : []));
  return { project, runtime, client, ask, dataOf };
}

const call = (tool: string, args: object = {}) => ({ calls: [{ tool, arguments: args }] });
const ECHO = { name: "echo", description: "Says it again", skipPermission: true };

test("a member with a default that a model leaves out reaches the tool with it, also deep inside", async () => {
  const parameters = {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { type: "string", enum: ["C", "F"], default: "C" },
      days: {
        type: "array",
        items: { type: "object", properties: { hours: { type: "number", default: 24 } }, required: ["hours"] },
      },
    },
    required: ["city", "unit", "days"],
    additionalProperties: false,
  };
  const replies = [call("echo", { city: "Paris", days: [{}, { hours: 2 }] }), call("echo", { days: [] }), "Done."];
  const { client, ask, dataOf } = await begin(replies, { tools: [{ ...ECHO, parameters }] });
  await ask("send", { prompt: "Go" });
  const { requestId, arguments: args } = await client.next("external_tool.requested");
  expect(args).toEqual({ city: "Paris", unit: "C", days: [{ hours: 24 }, { hours: 2 }] });
  await ask("tools.handlePendingToolCall", { requestId, result: "x" });
  await client.next("session.idle");
  expect(dataOf("tool.execution_complete").at(-1)).toMatchObject({
    error: { message: expect.stringContaining('"city" is missing') },
  });
});

test("a handler that returns nothing has succeeded with an empty text, however its client writes nothing", async () => {
  const nothing = [
    { result: "" },
    { result: null, error: null },
    {},
    { result: { textResultForLlm: "", resultType: "success" } },
  ];
  const { client, ask, dataOf } = await begin([...nothing.map(() => call("echo")), "Done."], { tools: [ECHO] });
  await ask("send", { prompt: "Go" });
  for (const one of nothing) {
    const { requestId } = await client.next("external_tool.requested");
    expect(await ask("tools.handlePendingToolCall", { requestId, ...one })).toEqual({ success: true });
  }
  await client.next("session.idle");
  expect(dataOf("tool.execution_complete").map(({ success, result }) => [success, result])).toEqual(
    nothing.map(() => [true, { content: "" }]),
  );
});

test("what a tool writes for people is in events, at once and later, and the model does not read it", async () => {
  const results = [
    { textResultForLlm: "fine", resultType: "success", sessionLog: "took 3 steps" },
    { textResultForLlm: "no luck", resultType: "failure", error: "ECONNREFUSED 10.0.0.1", sessionLog: "tried twice" },
  ];
  const { client, ask, dataOf } = await begin([call("echo"), call("echo"), call("echo"), "Done."], { tools: [ECHO] });
  await ask("send", { prompt: "Go" });
  for (const answer of [...results.map((result) => ({ result })), { error: "the disk is full" }]) {
    const { requestId } = await client.next("external_tool.requested");
    await ask("tools.handlePendingToolCall", { requestId, ...answer });
  }
  await client.next("session.idle");
  const thrown = "Failed to execute `echo` tool with arguments: {} due to error: Error: Tool execution failed";
  const expected = [
    { success: true, result: { content: "fine", detailedContent: "took 3 steps" } },
    {
      success: false,
      error: { message: "ECONNREFUSED 10.0.0.1", code: "failure" },
      result: { content: "no luck", detailedContent: "tried twice" },
    },
    { success: false, error: { message: "the disk is full", code: "failure" }, result: { content: thrown } },
  ];
  expect(dataOf("tool.execution_complete")).toMatchObject(expected);
  const { events } = (await ask("getMessages")) as { events: { type: string; data: Json }[] };
  expect(events.filter(({ type }) => type === "tool.execution_complete").map(({ data }) => data)).toMatchObject(
    expected,
  );
});

test("a skill.json skill is told of as it is loaded, a SKILL.md one once the model loads it, and neither again", async () => {
  const { project } = tempWorkspace();
  const skills = join(project, "skills");
  const files = {
    "review/skill.json": JSON.stringify({ name: "review", description: "Reviews", prompts: ["how.md"] }),
    "review/how.md": "Read twice.",
    "greet/SKILL.md": "---\nname: greet\ndescription: Greets\n---\nSay hello.\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(skills, path, ".."), { recursive: true });
    await writeFile(join(skills, path), text);
  }
  const replies = [call("skill", { skill: "greet" }), "Hello.", call("skill", { skill: "greet" }), "Hello."];
  const { client, ask, dataOf } = await begin(replies, { skillDirectories: [skills] });
  const review = { name: "review", path: join(skills, "review", "skill.json"), content: "Read twice." };
  expect(await client.next("skill.invoked")).toEqual(review);
  await ask("sendAndWait", { prompt: "Greet" });
  const greet = { name: "greet", path: join(skills, "greet", "SKILL.md"), content: "Say hello." };
  expect(dataOf("skill.invoked")).toEqual([review, greet]);
  expect((await ask("skills.list")).skills).toMatchObject([{ path: greet.path }, { path: review.path }]);
  await ask("destroy");
  await ask("resume", { requestPermission: true, skillDirectories: [skills] });
  await ask("sendAndWait", { prompt: "Greet" });
  expect(dataOf("skill.invoked")).toEqual([review, greet]);
  const { events } = (await ask("getMessages")) as { events: { type: string; data: Json }[] };
  expect(events.flatMap(({ type, data }) => (type === "skill.invoked" ? [data.name] : []))).toEqual([
    "review",
    "greet",
  ]);
});

test("a permission handler may answer as the library's do", async () => {
  const answers = [
    { decision: "allow" },
    { decision: "deny", reason: "not on a Friday" },
    { decision: "deny" },
    { decision: "allow", scope: "session" },
  ];
  const replies = [...answers.map(() => call("echo")), call("echo"), "Done."];
  const { client, ask, dataOf } = await begin(replies, { tools: [{ ...ECHO, skipPermission: false }] });
  await ask("send", { prompt: "Go" });
  for (const result of answers) {
    const { requestId } = await client.next("permission.requested");
    await ask("permissions.handlePendingPermissionRequest", { requestId, result });
    if (result.decision === "deny") continue;
    const called = await client.next("external_tool.requested");
    await ask("tools.handlePendingToolCall", { requestId: called.requestId, result: "x" });
  }
  const last = await client.next("external_tool.requested");
  await ask("tools.handlePendingToolCall", { requestId: last.requestId, result: "x" });
  await client.next("session.idle");
  expect(dataOf("permission.completed").map(({ result }) => (result as Json).kind)).toEqual([
    ...["approved", "denied-interactively-by-user", "denied-interactively-by-user", "approved-for-session"],
  ]);
  const ends = dataOf("tool.execution_complete");
  expect(ends.map(({ success }) => success)).toEqual([true, false, false, true, true]);
  expect(ends[1]).toMatchObject({ error: { message: expect.stringContaining("not on a Friday") } });
});

test.each([
  [{ decision: "perhaps" }, 'with the decision "perhaps"'],
  [{ answer: "yes" }, "without a kind"],
  [{ kind: "allow", decision: "allow" }, 'with the kind "allow"'],
])("an answer that says neither is a no, and the operator reads why: %j", async (result, why) => {
  const { runtime, client, ask, dataOf } = await begin([call("echo"), "Done."], {
    tools: [{ ...ECHO, skipPermission: false }],
  });
  await ask("send", { prompt: "Go" });
  const { requestId } = await client.next("permission.requested");
  await ask("permissions.handlePendingPermissionRequest", { requestId, result });
  await client.next("session.idle");
  expect(dataOf("tool.execution_complete")).toMatchObject([{ success: false }]);
  expect(runtime.notes.join()).toContain(why);
});

const UNASKED = { requestPermission: false, tools: [{ ...ECHO, skipPermission: false }] };

test("a call that an app without a handler never decides about is denied, and app and model read why", async () => {
  const clock = createFakeClock();
  const { runtime, client, ask, dataOf } = await begin([call("echo"), "Done."], UNASKED, clock);
  await ask("send", { prompt: "Go" });
  await client.next("permission.requested");
  expect(await client.next("session.warning")).toMatchObject({
    warningType: "permission_handler",
    message: expect.stringContaining("onPermissionRequest"),
  });
  expect(runtime.notes.join()).toContain("the app has no permission handler");
  clock.advance(29_000);
  expect(dataOf("permission.completed")).toEqual([]);
  clock.advance(1_000);
  await client.next("session.idle");
  expect(dataOf("permission.completed")).toMatchObject([
    { result: { kind: "denied-no-approval-rule-and-could-not-request-from-user" } },
  ]);
  expect(dataOf("tool.execution_complete")).toMatchObject([
    { success: false, error: { message: expect.stringContaining("the app has no permission handler") } },
  ]);
});

test("an app that looks for questions itself, and one that has left, has all the time it wants", async () => {
  const clock = createFakeClock();
  const { runtime, client, ask, dataOf } = await begin([call("echo"), "Done."], UNASKED, clock);
  await ask("send", { prompt: "Go" });
  await client.next("permission.requested");
  const { items } = (await ask("permissions.pendingRequests")) as { items: { requestId: string }[] };
  clock.advance(3_600_000);
  await ask("destroy");
  const second = runtime.connect();
  await second.request("session.resume", { sessionId: "s", ...UNASKED, continuePendingWork: true });
  clock.advance(3_600_000);
  expect(dataOf("permission.completed")).toEqual([]);
  const result = { kind: "approve-once" };
  const answered = { sessionId: "s", requestId: items[0]?.requestId, result };
  expect(await second.request("session.permissions.handlePendingPermissionRequest", answered)).toEqual({
    success: true,
  });
  await second.next("external_tool.requested");
});

test("searching the workspace asks nobody, and what is asked about elsewhere has a path", async () => {
  const calls = [
    { tool: "glob", arguments: { pattern: "**/*.txt" } },
    { tool: "grep", arguments: { pattern: "sun" } },
  ];
  const outside = [call("grep", { pattern: "root", path: "/etc" }), call("glob", { pattern: "host*", path: "/etc" })];
  const { project, client, ask, dataOf } = await begin([
    { calls },
    call("view", { path: "a.txt" }),
    ...outside,
    "Done.",
  ]);
  await writeFile(join(project, "a.txt"), "sunny\n");
  await ask("send", { prompt: "Look" });
  const asked = async (): Promise<unknown> => {
    const { requestId, permissionRequest } = await client.next("permission.requested");
    await ask("permissions.handlePendingPermissionRequest", { requestId, result: { kind: "reject", feedback: "no" } });
    const { kind, path } = permissionRequest as Json;
    return [kind, path];
  };
  expect(await asked()).toEqual(["read", "a.txt"]);
  expect(dataOf("tool.execution_complete").map(({ success }) => success)).toEqual([true, true]);
  expect(await asked()).toEqual(["read", "/etc"]);
  expect(await asked()).toEqual(["read", "/etc"]);
  await client.next("session.idle");
});

const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test.each([true, false])("an attached image file is seen by a model that sees: %s", async (vision) => {
  const { project } = tempWorkspace();
  const choices = [{ index: 0, message: { role: "assistant", content: "A dot." }, finish_reason: "stop" }];
  await using model = await startReplayServer([
    { headers: { "content-type": "application/json" }, body: JSON.stringify({ choices }) },
  ]);
  const runtime = startRuntime(join(project, "home"), project);
  const client = runtime.connect();
  const provider = { type: "openai", baseUrl: model.url, apiKey: "k" };
  const sessionId = "s";
  const modelCapabilities = { supports: { vision } };
  await client.request("session.create", { sessionId, model: "m", provider, modelCapabilities });
  await writeFile(join(project, "dot.png"), DOT);
  await writeFile(join(project, "note.md"), "one\ntwo");
  await writeFile(join(project, "huge.png"), Buffer.concat([DOT, Buffer.alloc(6 * 1024 * 1024)]));
  const paths = ["dot.png", "note.md", "huge.png"].map((name) => join(project, name));
  const attachments = [
    ...paths.map((path) => ({ type: "file", path, own: 1 })),
    { type: "directory", path: project },
    { type: "selection", filePath: "/x/y.ts", text: "t", selection: { start: { line: 0, character: 0 } } },
  ];
  await client.request("session.sendAndWait", { sessionId, prompt: "Look", attachments });
  const user = client.events.find(({ type }) => type === "user.message");
  expect(((user?.data.attachments ?? []) as Json[]).map(({ displayName, own }) => [displayName, own])).toEqual([
    ...[
      ["dot.png", 1],
      ["note.md", 1],
      ["huge.png", 1],
    ],
    ...[
      ["project", undefined],
      ["y.ts", undefined],
    ],
  ]);
  const { messages } = (model.seen[0]?.body ?? { messages: [] }) as { messages: Json[] };
  const sent = JSON.stringify(messages.at(-1));
  expect(sent.includes(`data:image/png;base64,${DOT.toString("base64")}`)).toBe(vision);
  expect(sent).toContain(`* ${paths[0]} (image)`);
  expect(sent).toContain(`* ${paths[1]} (2 lines)`);
  expect(sent).toContain(`* ${paths[2]} (an image of `);
  expect(sent.length).toBeLessThan(10_000);
});
