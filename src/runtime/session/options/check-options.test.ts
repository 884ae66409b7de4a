import { getEventListeners } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defineTool } from "../../../core/tool/define-tool.ts";
import type { ExternalTool } from "../../../sources/external/external-source.ts";
import { createScriptedModel, type Script } from "../../models/scripted-model.ts";
import { createSession } from "../library.ts";
import type { Session } from "../public-session.ts";
import type { SessionOptions } from "./session-options.ts";

let workspace = "";
const open: Session[] = [];

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), "toolcrib-options-"));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.close()));
  await rm(workspace, { recursive: true });
});

async function start(options: SessionOptions = {}): Promise<Session> {
  const session = await createSession({ workspace, builtins: "all", ...options });
  open.push(session);
  return session;
}

/** As a program without types passes it. */
const untyped = <T = SessionOptions>(value: unknown) => value as T;
const lint = defineTool("lint", { description: "Checks style", handler: () => "clean" });
const format = defineTool("format", { description: "Formats", skipPermission: true, handler: () => "formatted" });
const visible = (session: Session) =>
  session.toolset.placements.filter(({ standing }) => standing === "visible").map(({ entry }) => entry.wireName);

const circle: Record<string, unknown> = {};
circle.self = circle;

test.each([
  ["no object at all", null, "expects an object of options; found null"],
  ["a list", [], "expects an object of options; found a list"],
  [
    "a misspelt hook",
    { hooks: { onPreToolUze: () => {} } },
    'unknown key "onPreToolUze"; did you mean "onPreToolUse"?',
  ],
  [
    "a misspelt guard",
    { onPermisionRequest: () => ({ decision: "deny" }) },
    'unknown key "onPermisionRequest"; did you mean "onPermissionRequest"?',
  ],
  ["a key of no option", { zzzzzzzzzz: 1 }, 'unknown key "zzzzzzzzzz"; expected one of tools, onPermissionRequest, '],
  ["what only a surface of Toolcrib sets", { profile: { hooksFirst: true } }, 'unknown key "profile"'],
  ["a hook by its name in files", { hooks: { preToolUse: [] } }, 'did you mean "onPreToolUse"?'],
  ["a hook that is no function", { hooks: { onPreToolUse: "./audit.sh" } }, "onPreToolUse must be a function"],
  ["hooks as a list", { hooks: [] }, "hooks must be an object or null; found a list"],
  ["a handler that is none", { onPermissionRequest: true }, "onPermissionRequest must be a function or null"],
  ["an unknown limit", { limits: { timeoutMs: 5 } }, 'unknown key "timeoutMs"; did you mean "timeout"?'],
  ["a limit below 1", { limits: { timeout: -5 } }, "timeout must be a number above 0"],
  ["a signal that is none", { signal: 5 }, "signal must be an object with addEventListener"],
  ["a classifier that is none", { classifier: {} }, "classifier must be an object with filter or null"],
  ["a folder that is no text", { workspace: 5 }, "workspace must be text or null"],
  ["what contains itself", { toolOverrides: { lint: circle } }, "is nested too deeply, or contains itself"],
  [
    "a function as a value",
    { mcpServers: { a: { url: "http://127.0.0.1:9", headers: { a: () => "x" } } } },
    "headers.a",
  ],
  ["a Map", { features: new Map([["beta", true]]) }, "features must be a plain object or list"],
  ["tools that are no list", { tools: {} }, "tools must be a list of tools or null"],
])("%s is refused with what was expected", async (_what, options, text) => {
  await expect(createSession(untyped(options))).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining(text),
  });
});

test("an entry of tools that is no tool is refused with its place, and not left out", async () => {
  await expect(createSession(untyped({ tools: [lint, null] }))).rejects.toMatchObject({
    code: "tool.invalid",
    message: expect.stringContaining("tools[1] must be what defineTool returns"),
  });
  const session = await start();
  expect(() => session.setTools("ide", untyped<[]>(null))).toThrow("setTools needs a list of tools");
});

test("options that are undefined are absent", async () => {
  const session = await start(untyped({ hooks: undefined, signal: undefined, limits: undefined, tools: undefined }));
  expect(visible(session)).toContain("view");
});

test("a run without tools is opened where the host says that it means it (F4)", async () => {
  await expect(createSession({ workspace, availableTools: [] })).rejects.toMatchObject({
    code: "filter.empty-include",
  });
  const session = await start({ availableTools: [], allowNoTools: true });
  expect(visible(session)).toEqual([]);
  await expect(session.updateOptions({ allowNoTools: false })).rejects.toMatchObject({ code: "filter.empty-include" });
  expect(visible(session)).toEqual([]);
});

test("an include list makes the exclude list idle where the host wants the older rule (F1)", async () => {
  const lists = { availableTools: ["view", "grep"], excludedTools: ["view"] };
  expect(visible(await start(lists))).toEqual(["grep"]);
  expect(visible(await start({ ...lists, filterPrecedence: "include" }))).toEqual(["grep", "view"]);
});

test("what setTools says counts before the next line", async () => {
  const session = await start();
  session.setTools("ide", [lint]);
  expect(visible(session)).toContain("lint");
  expect(session.payload("anthropic").tools.map((tool) => ("name" in tool ? tool.name : ""))).toContain("lint");
  session.setTools("ide", []);
  expect(visible(session)).not.toContain("lint");
});

test("updateOptions takes new tools and the lists that name them together, or neither", async () => {
  const session = await start({ tools: [lint], availableTools: ["lint"] });
  await session.updateOptions({ tools: [format], availableTools: ["format"] });
  expect(visible(session)).toEqual(["format"]);
  await expect(session.updateOptions({ tools: [lint], availableTools: ["nothing"] })).rejects.toMatchObject({
    code: "filter.no-tools",
  });
  expect(visible(session)).toEqual(["format"]);
  await expect(session.call("format")).resolves.toMatchObject({ textResultForLlm: "formatted" });
});

test("a change that is refused is never seen, and undoes nothing that somebody else said", async () => {
  const session = await start({ tools: [lint] });
  // The first toolset is announced to those who listen by then.
  await new Promise((resolve) => setImmediate(resolve));
  let seen = 0;
  session.on("session.tools_updated", () => {
    seen += 1;
    session.setTools("host", [lint, format]);
  });
  const refused = session.updateOptions({ tools: [format], availableTools: ["nothing"] });
  await expect(refused).rejects.toMatchObject({ code: "filter.no-tools" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toBe(0);
  session.setTools("host", [format]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toBeGreaterThan(0);
  expect(visible(session)).toEqual(expect.arrayContaining(["format", "lint"]));
});

test("of tools for the host, those that were said last count, also while options wait to be taken over", async () => {
  const session = await start({ tools: [] });
  const updated = session.updateOptions({ tools: [lint], excludedTools: ["view"] });
  session.setTools("host", [format]);
  await updated;
  expect(visible(session)).toContain("format");
  expect(visible(session)).not.toContain("lint");
  expect(visible(session)).not.toContain("view");
  await session.updateOptions({ tools: [lint] });
  expect(visible(session)).toContain("lint");
  expect(visible(session)).not.toContain("format");
});

test("two changes at once are both kept", async () => {
  const session = await start({ tools: [lint] });
  await Promise.all([session.updateOptions({ excludedTools: ["view"] }), session.updateOptions({ mode: "plan" })]);
  expect(visible(session)).not.toContain("view");
  expect(visible(session)).not.toContain("edit");
  await expect(session.updateOptions(untyped(null))).rejects.toMatchObject({ code: "config.invalid" });
  await session.updateOptions({ mode: "default" });
  expect(visible(session)).toContain("edit");
});

test("what is undefined in a change stays what it was: no guard is lifted by leaving it out", async () => {
  const session = await start({
    tools: [lint],
    excludedTools: ["view"],
    permissions: { hostTools: "ask" },
    onPermissionRequest: () => ({ decision: "allow" }),
  });
  const changes = { excludedTools: undefined, onPermissionRequest: undefined, tools: undefined, workspace: undefined };
  await session.updateOptions(untyped({ ...changes, mode: "accept-edits" }));
  expect(visible(session)).not.toContain("view");
  await expect(session.call("lint")).resolves.toMatchObject({ textResultForLlm: "clean" });
  await session.updateOptions({ onPermissionRequest: null });
  await expect(session.call("lint")).resolves.toMatchObject({ resultType: "denied" });
});

test("a list is replaced under either of its names, and both at once are a mistake", async () => {
  const session = await start({ excludedTools: ["view"] });
  await session.updateOptions(untyped({ excludeTools: ["grep"] }));
  expect(visible(session)).toContain("view");
  expect(visible(session)).not.toContain("grep");
  await session.updateOptions(untyped({ includeTools: ["view"] }));
  await session.updateOptions({ availableTools: ["glob"] });
  expect(visible(session)).toEqual(["glob"]);
  await expect(
    session.updateOptions(untyped({ availableTools: ["view"], includeTools: ["view"] })),
  ).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining("are the same setting"),
  });
});

test("what a session takes over only once is not changed without a word", async () => {
  const limits = { timeout: 1_000 };
  const session = await start({ limits });
  await session.updateOptions({ limits, mode: "plan" });
  await expect(session.updateOptions({ limits: { timeout: 2_000 } })).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining("limits stays what it was"),
  });
});

test("a closed session starts nothing any more", async () => {
  const session = await start({ tools: [format] });
  await session.close();
  const servers = { mcpServers: { late: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] } } };
  await expect(session.updateOptions(servers)).rejects.toMatchObject({ code: "session.closed" });
  expect(session.sources).toEqual([]);
  await expect(session.call("format")).resolves.toMatchObject({ resultType: "failure", cancelledBy: "shutdown" });
});

test("a session that is closed while it takes over options keeps no server", async () => {
  const session = await start();
  const servers = { mcpServers: { late: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] } } };
  const updated = session.updateOptions(servers).catch(() => {});
  await session.close();
  await updated;
  expect(session.sources).toEqual([]);
});

test("one signal for many sessions and many calls at once is no leak, and nobody is warned of one", async () => {
  const warned: string[] = [];
  const onWarning = (warning: Error) => warned.push(warning.name);
  process.on("warning", onWarning);
  try {
    const { signal } = new AbortController();
    const sessions = await Promise.all(Array.from({ length: 12 }, () => start({ tools: [format], signal })));
    const [session] = sessions;
    if (session === undefined) throw new Error("no session");
    const calls = Array.from({ length: 12 }, () => session.call("format", {}, { signal }));
    const replies = Array.from({ length: 12 }, async () => {
      for await (const _ of session.execute([], { dialect: "anthropic", signal }));
    });
    await Promise.all([...calls, ...replies]);
    await Promise.all(sessions.map((one) => one.close()));
    await new Promise((resolve) => setImmediate(resolve));
    expect(warned).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  } finally {
    process.off("warning", onWarning);
  }
});

test("a signal that is aborted already opens nothing", async () => {
  await expect(createSession({ workspace, signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
});

test("a signal that outlives its sessions holds none of them", async () => {
  const { signal } = new AbortController();
  const session = await start({ signal });
  for (let times = 0; times < 3; times += 1) await session.refresh();
  await session.close();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a dialect that does not exist is told with those that do", async () => {
  const session = await start();
  expect(() => session.payload("openai" as "openai-chat")).toThrow(
    'there is no dialect "openai"; expected one of anthropic, openai-responses, openai-chat',
  );
  expect(() => session.results("__proto__" as "mcp")).toThrow('there is no dialect "__proto__"');
});

test("a name that is no text is told as such", async () => {
  const session = await start();
  expect(() => session.why(untyped<string>(null))).toThrow("a name must be text; found null");
  await expect(session.call(untyped<string>(undefined))).rejects.toThrow("a name must be text; found undefined");
  expect(() => session.setTools(untyped<string>(5), [])).toThrow("a name must be text; found number");
});

test("waiting for sources needs no signal", async () => {
  const session = await start();
  await session.settled();
  await session.close();
});

test("a call's time-out that is none is a mistake of the program, and not a tool that took too long", async () => {
  const session = await start({ tools: [format] });
  for (const timeout of [0, -1, Number.NaN, "5"])
    await expect(session.call("format", {}, untyped({ timeout }))).rejects.toThrow(TypeError);
  for (const timeout of [undefined, null, 5_000, Number.POSITIVE_INFINITY])
    expect(await session.call("format", {}, untyped({ timeout }))).toMatchObject({ resultType: "success" });
});

test("what is no listener is refused where it is passed, not when it should hear something", async () => {
  const session = await start();
  expect(() => session.on("*", untyped<() => void>(undefined))).toThrow(TypeError);
});

test("a listener that fails later is told to the logger and harms nobody", async () => {
  const failed: unknown[] = [];
  const session = await start({
    tools: [format],
    logger: { error: (_text, error) => failed.push(error), debug: () => {} },
  });
  session.on("tool.execution_start", async () => {
    throw new Error("later");
  });
  await session.call("format");
  await session.close();
  expect(failed).toEqual([expect.objectContaining({ message: "later" })]);
});

test("an allow rule that can never allow anything is told", async () => {
  const session = await start({ permissions: { allow: ["*", "lint", "github/*"] } });
  // A machine may have more to tell, as that no sandbox works on it.
  expect(session.toolset.notices.filter(({ code }) => code === "rule.dead")).toEqual([
    expect.objectContaining({
      level: "warning",
      code: "rule.dead",
      names: ["*"],
      text: "permissions.allow: *: a pattern allows tools only behind the name of a server, as server/* does",
      origin: { kind: "call", call: "createSession permissions.allow[0]" },
    }),
  ]);
});

test("a workspace may be named from the current folder", async () => {
  await writeFile(join(workspace, "note.txt"), "read me");
  const session = await start({ workspace: relative(process.cwd(), workspace) });
  await expect(session.call("view", { path: "note.txt" })).resolves.toMatchObject({
    resultType: "success",
    textResultForLlm: expect.stringContaining("read me"),
  });
});

test("a tool whose handler would never be called is refused", async () => {
  const plain = untyped<ExternalTool>({ name: "plain", description: "Plain", handler: () => "never" });
  const text = 'the tool "plain" has a handler: make it with defineTool("plain"';
  await expect(createSession({ workspace, builtins: "all", tools: [plain] })).rejects.toMatchObject({
    code: "tool.invalid",
    message: expect.stringContaining(text),
  });
  const session = await start();
  expect(() => session.setTools("ide", [plain])).toThrow(text);
});

test("a run without a prompt, and a script with a wrong key, are refused where they are given", async () => {
  const session = await start({ modelClient: createScriptedModel({ replies: ["Hello."] }) });
  for (const prompt of [undefined, null, { text: "hi" }]) {
    expect(() => session.run(untyped<string>(prompt))).toThrow(/^run: the prompt must be a text/);
    expect(() => session.send(untyped<string>(prompt))).toThrow(/^send: the prompt must be a text/);
  }
  expect(() => createScriptedModel(untyped<Script>({ reply: "x" }))).toThrow("scripted: replies: a list of replies");
  expect(() => createScriptedModel(untyped<Script>({ replies: [{ txt: "x" }] }))).toThrow('"txt" is unknown');
});

test("a wire that nobody speaks is refused by its place, before any request", async () => {
  const providers = { mine: { wire: "responses", baseUrl: "http://127.0.0.1:9/v1" } };
  await expect(start(untyped({ providers }))).rejects.toMatchObject({
    code: "config.invalid",
    message:
      'createSession: providers.mine.wire must be one of anthropic, openai-responses, openai-chat, gemini; found "responses"',
  });
});
