import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadOptions } from "../../../config/load-options.ts";
import { type Tool, toTool } from "../../../core/tool/tool.ts";
import { CONNECTED, type Source } from "../../../sources/source.ts";
import { type OpenSession, openSession } from "./session.ts";
import { type SessionSetting, toSetting } from "./setting.ts";

let folder = "";
const open: OpenSession[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolcrib-session-"));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.close()));
  await rm(folder, { recursive: true });
});

/** A source in memory whose list a test changes at will. */
function memorySource(name: string, tools: readonly Tool[]): Source & { set(tools: readonly Tool[]): void } {
  const listeners = new Set<() => void>();
  let current = tools;
  return {
    kind: "mcp",
    name,
    status: CONNECTED,
    list: async () => current,
    run: async () => ({ textResultForLlm: "done", resultType: "success" }),
    changes: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {},
    set(next) {
      current = next;
      for (const listener of listeners) listener();
    },
  };
}

function mcpTool(name: string, description = "d"): Tool {
  return toTool({ name, source: "mcp", server: "s", description, inputSchema: { type: "object" } });
}

async function start(
  options: Record<string, unknown>,
  source?: Source,
  setting: Partial<SessionSetting> = {},
): Promise<OpenSession> {
  const input = { cwd: folder, home: folder, env: {}, systemPolicy: join(folder, "policy.yaml") };
  const config = await loadOptions(options, "createSession", input);
  const sources = source === undefined ? [] : [{ key: source.name, open: async () => source }];
  const session = await openSession(
    config,
    toSetting({
      version: "0",
      cwd: folder,
      home: folder,
      env: {},
      workspace: folder,
      sources: () => sources,
      ...setting,
    }),
  );
  open.push(session);
  await announced();
  return session;
}

/** The first toolset is announced a turn of the loop after the session is there. */
function announced(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function nextEvent(session: OpenSession, name: "session.tools_updated" | "session.warning"): Promise<unknown> {
  return new Promise((resolve) => {
    const stop = session.on(name, (data) => {
      stop();
      resolve(data);
    });
  });
}

const standing = (session: OpenSession, name: string) =>
  session.toolset.placements.find(({ entry }) => entry.wireName === name)?.standing;

test("E1: a request keeps its toolset while tools change, and the next one sees the new set", async () => {
  const source = memorySource("s", [mcpTool("a")]);
  const session = await start({}, source);
  const request = session.request();
  source.set([mcpTool("a"), mcpTool("b")]);
  await nextEvent(session, "session.tools_updated");
  expect(request.find("s__b")).toMatchObject({ kind: "unknown" });
  expect(session.request().find("s__b")).toMatchObject({ kind: "found" });
});

test("E1: a removed tool is gone and a changed one is changed, in the request that advertised them", async () => {
  const source = memorySource("s", [mcpTool("a"), mcpTool("b")]);
  const session = await start({}, source);
  const request = session.request();
  source.set([mcpTool("b", "something else")]);
  await nextEvent(session, "session.tools_updated");
  expect(request.find("s__a")).toEqual({ kind: "tool_gone" });
  expect(request.find("s__b")).toEqual({ kind: "tool_changed" });
});

test("E1: narrowing bites at once, widening waits for the next request", async () => {
  const source = memorySource("s", [mcpTool("a"), mcpTool("b")]);
  const session = await start({ excludedTools: ["s/b"] }, source);
  const request = session.request();
  const input = { cwd: folder, home: folder, env: {}, systemPolicy: join(folder, "policy.yaml") };
  await session.reconfigure(await loadOptions({ excludedTools: ["s/a"] }, "updateOptions", input));
  expect(request.find("s__a")).toMatchObject({ kind: "hidden", reasons: [{ code: "filter.excluded" }] });
  expect(request.find("s__b")).toMatchObject({ kind: "unknown" });
  expect(session.request().find("s__b")).toMatchObject({ kind: "found" });
});

test("P3: a name that nothing has is answered with near ones that are not hidden, whatever its own tool would be", async () => {
  const source = memorySource("s", [mcpTool("alpha"), mcpTool("alphas"), mcpTool("omega")]);
  const session = await start({ excludedTools: ["s/alphas"] }, source);
  const request = session.request();
  for (const name of ["s__alphass", "s__alphas"])
    expect(request.find(name)).toEqual({ kind: "unknown", nearest: ["s__alpha"] });
});

test("P3: a changed tool that is closed for another reason too is as good as none", async () => {
  const source = memorySource("s", [mcpTool("a"), mcpTool("b")]);
  const other = { signature: "0".repeat(64), approved: true, launch: null };
  const pins = {
    value: new Map([
      ["s/a", other],
      ["s/b", other],
    ]),
    origin: { kind: "default" as const },
  };
  const session = await start({ excludedTools: ["s/b"] }, source, { facts: () => ({ pins }) });
  const request = session.request();
  expect(request.find("s__a")).toMatchObject({ kind: "tool_changed" });
  expect(request.find("s__b")).toMatchObject({ kind: "unknown" });
});

test("E2: a change that cannot be taken over leaves the old toolset and warns once", async () => {
  const source = memorySource("s", [mcpTool("a")]);
  const session = await start({ availableTools: ["s/a"] }, source);
  const warnings: unknown[] = [];
  session.on("session.warning", (warning) => warnings.push(warning.code));
  source.set([mcpTool("c")]);
  await nextEvent(session, "session.warning");
  source.set([mcpTool("d")]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual(["session.refresh-failed"]);
  expect(standing(session, "s__a")).toBe("visible");
  source.set([mcpTool("a")]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(standing(session, "s__a")).toBe("visible");
});

test("E3: nothing is announced when signatures are equal", async () => {
  const source = memorySource("s", [mcpTool("a")]);
  const session = await start({}, source);
  let updates = 0;
  session.on("session.tools_updated", () => {
    updates += 1;
  });
  source.set([mcpTool("a")]);
  await session.refresh();
  await new Promise((resolve) => setImmediate(resolve));
  expect(updates).toBe(0);
  source.set([mcpTool("a", "changed")]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(updates).toBe(1);
});

test("E5: each notice is told once per toolset revision", async () => {
  const source = memorySource("s", [mcpTool("a")]);
  const session = await start({ excludedTools: ["nope"] }, source);
  const told: string[] = [];
  session.on("session.warning", ({ code }) => told.push(code));
  source.set([mcpTool("a"), mcpTool("b")]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([]);
  expect(session.toolset.notices.map(({ code }) => code)).toContain("filter.unknown-name");
});

test("an update of options that leaves no tool is refused, and the previous options stay", async () => {
  const session = await start({ excludedTools: ["web"] });
  const input = { cwd: folder, home: folder, env: {}, systemPolicy: join(folder, "policy.yaml") };
  await expect(
    session.reconfigure(await loadOptions({ availableTools: ["nope"] }, "updateOptions", input)),
  ).rejects.toMatchObject({ code: "filter.no-tools" });
  expect(standing(session, "web_fetch")).toBe("hidden");
  expect(standing(session, "view")).toBe("visible");
});

test("a listener that throws keeps nobody else from hearing", async () => {
  const source = memorySource("s", [mcpTool("a")]);
  const session = await start({}, source);
  session.on("session.tools_updated", () => {
    throw new Error("mine");
  });
  const heard = nextEvent(session, "session.tools_updated");
  source.set([]);
  await expect(heard).resolves.toEqual({ model: null });
});

test("closing twice is fine, and a closed session is silent", async () => {
  const source = memorySource("s", [mcpTool("a")]);
  const session = await start({}, source);
  let heard = 0;
  session.on("*", () => {
    heard += 1;
  });
  await session.close();
  await session.close();
  source.set([]);
  expect(heard).toBe(0);
  expect(session.sources).toEqual([]);
});
