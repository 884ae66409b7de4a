import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createSession } from "./library.ts";
import type { SessionOptions } from "./options/session-options.ts";
import type { Session } from "./public-session.ts";

let workspace = "";
const open: Session[] = [];

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), "toolcrib-create-"));
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

const lint = defineTool("lint", { description: "Checks style", handler: async () => "clean" });
const visible = (session: Session) =>
  session.toolset.placements.filter(({ standing }) => standing === "visible").map(({ entry }) => entry.wireName);

test("a session has built-ins and the program's own tools", async () => {
  const session = await start({ tools: [lint], sandbox: { shell: "off" } });
  expect(visible(session)).toEqual(expect.arrayContaining(["view", "edit", "lint"]));
  expect(session.why("bash")).toMatchObject({
    kind: "found",
    explanations: [{ standing: "hidden", reasons: [{ reason: { code: "host-shell.no-sandbox" } }] }],
  });
});

test("filters name their option as the place to change", async () => {
  const session = await start({ excludedTools: ["web"] });
  const answer = session.why("web_fetch");
  expect(answer.kind === "found" && answer.explanations[0]?.reasons[0]?.reason.origin).toEqual({
    kind: "call",
    call: "createSession excludedTools[0]",
  });
});

test("updateOptions changes what is given and keeps the rest", async () => {
  const session = await start({ excludedTools: ["web"], tools: [lint] });
  await session.updateOptions({ mode: "plan" });
  expect(visible(session)).toContain("view");
  expect(visible(session)).not.toContain("edit");
  expect(visible(session)).not.toContain("web_fetch");
  await expect(session.updateOptions({ availableTools: [] })).rejects.toMatchObject({ code: "filter.empty-include" });
  expect(visible(session)).toContain("view");
});

test("setTools replaces an owner's tools whole, and the catalog follows at once", async () => {
  const session = await start();
  session.setTools("ide", [lint]);
  await session.refresh();
  expect(visible(session)).toContain("lint");
  session.setTools("ide", []);
  await session.refresh();
  expect(visible(session)).not.toContain("lint");
});

test("an external tool with a built-in's name and no flag is refused at creation, and at refresh only told (N5)", async () => {
  const view = defineTool("view", { description: "Mine", handler: async () => "" });
  await expect(createSession({ workspace, builtins: "all", tools: [view] })).rejects.toMatchObject({
    code: "tool.name-conflict",
  });
  const session = await start();
  const warned = new Promise((resolve) => session.on("session.warning", resolve));
  session.setTools("ide", [view]);
  await expect(warned).resolves.toMatchObject({ code: "session.refresh-failed" });
  expect(visible(session)).toContain("view");
});

test("skills of a directory bring tools and prompts, and restrict once active (G11)", async () => {
  const folder = join(workspace, "skills", "review");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "SKILL.md"),
    "---\nname: review\ndescription: Reviews\nallowed-tools: [grep]\n---\nBe kind.\n",
  );
  const session = await start({ skillDirectories: [join(workspace, "skills")] });
  expect(visible(session)).toEqual(expect.arrayContaining(["edit", "skill"]));
  const invoked = new Promise((resolve) => session.on("skill.invoked", resolve));
  const found = session.toolset.placements.find(({ entry }) => entry.wireName === "skill")?.entry;
  const source = session.sources.find(({ kind }) => kind === found?.tool.source);
  if (found === undefined || source === undefined) throw new Error("the skill tool is there");
  const signal = AbortSignal.timeout(5_000);
  await source.run(found.tool, { name: "review" }, { sessionId: session.id, toolCallId: "1", signal });
  const path = join(folder, "SKILL.md");
  await expect(invoked).resolves.toEqual({ name: "review", path, content: "Be kind." });
  expect(visible(session)).toEqual(expect.arrayContaining(["grep", "skill", "view"]));
  expect(visible(session)).not.toContain("edit");
});

test("calls() has the hooks for programs that ask the model themselves, and nothing that would run calls around them", async () => {
  const calls = await (await start()).calls();
  expect(Object.keys(calls).toSorted()).toEqual(["failed", "hookFailures", "prompt"]);
  expect(await calls.prompt("hi")).toEqual({ prompt: "hi", additionalContext: [], blocked: null });
});

test("a wrong option says which, and what was expected", async () => {
  await expect(createSession({ workspace, toolSearch: "sometimes" as "auto" })).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining("createSession toolSearch"),
  });
});

test("a session ends by itself when its signal says so", async () => {
  const stop = new AbortController();
  const session = await start({ signal: stop.signal });
  stop.abort();
  await session.close();
  expect(session.sources).toEqual([]);
});

test("E3: the tools are announced after the first assembly, a change of model, of filters, and of external definitions", async () => {
  const session = await start({ model: "claude-opus-4-5" });
  const heard: (string | null)[] = [];
  session.on("session.tools_updated", ({ model }) => heard.push(model));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(heard).toEqual(["claude-opus-4-5"]);
  await session.updateOptions({ model: "gpt-5" });
  await settle();
  expect(heard).toEqual(["claude-opus-4-5", "gpt-5"]);
  await session.updateOptions({ excludedTools: ["web"] });
  await settle();
  session.setTools("ide", [lint]);
  await settle();
  expect(heard).toHaveLength(4);
  session.setTools("ide", [
    defineTool("lint", { description: "Checks style", handler: async () => "other code, same definition" }),
  ]);
  await session.updateOptions({ excludedTools: ["web"] });
  await settle();
  expect(heard).toHaveLength(4);
});

test("a lock is looked for from the workspace, as every other path: one that is not found would hold nothing", async () => {
  await writeFile(join(workspace, "toolcrib.lock"), "this is no lock");
  await expect(start({ lock: "toolcrib.lock" })).rejects.toMatchObject({ code: "lock.invalid" });
  await expect(start({ lock: join(workspace, "toolcrib.lock") })).rejects.toMatchObject({ code: "lock.invalid" });
  const session = await start({ lock: "other.lock" });
  await expect(session.updateOptions({ lock: "toolcrib.lock" })).rejects.toMatchObject({ code: "lock.invalid" });
});
