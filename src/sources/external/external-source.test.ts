import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import type { ExternalRequest } from "../../core/events/event-types.ts";
import { type DefinedTool, defineTool } from "../../core/tool/define-tool.ts";
import { inspectTool } from "../../core/tool/inspect-tool.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { sourceContract } from "../contract-suite/source-contract.ts";
import { createExternalSource, type ExternalSource } from "./external-source.ts";
import { toOwner } from "./owner.ts";
import type { CallPorts } from "./pending-calls.ts";

const echo = defineTool("echo", {
  description: "Says it again.",
  parameters: z.object({ text: z.string().default("nothing") }),
  handler: ({ text }, { toolName }) => `${toolName}: ${text}`,
});
const broken = defineTool("broken", {
  description: "Always fails.",
  handler: () => {
    throw new Error("DB connection failed at 10.0.0.5:5432");
  },
});
const deaf = defineTool("deaf", { description: "Never listens.", handler: () => new Promise<string>(() => {}) });

describe("the contract of a source holds for tools in this process", () => {
  const checks = sourceContract({
    calls: {
      works: { tool: "echo", args: { text: "hi" } },
      fails: { tool: "broken", args: {} },
      misfits: { tool: "echo", args: { text: 5 } },
      hangs: { tool: "deaf", args: {} },
    },
    changes: true,
    make: () => {
      const source = createExternalSource();
      source.setTools("host", [echo, broken, deaf]);
      return {
        source,
        change: () => void source.setTools("host", [echo, broken]),
        repeat: () => void source.setTools("host", [{ ...echo, tool: { ...echo.tool } }, broken, deaf]),
      };
    },
  });
  for (const { name, check } of checks) test(name, check);
});

describe("the contract of a source holds for tools of a connection", () => {
  const checks = sourceContract({
    calls: {
      works: { tool: "remote", args: { text: "hi" } },
      fails: { tool: "remote", args: { fail: true } },
      hangs: { tool: "remote", args: { hang: true } },
    },
    changes: true,
    make: () => {
      const open = new Set<string>();
      const source = createExternalSource({
        onRequested: ({ requestId, arguments: args }) => {
          open.add(requestId);
          if (args.fail === true) queueMicrotask(() => source.fail(requestId, new Error("it broke")));
          else if (args.hang !== true) queueMicrotask(() => source.answer(requestId, { text: args.text }));
        },
        onCompleted: ({ requestId }) => void open.delete(requestId),
      });
      source.setTools("connection:a", [{ name: "remote", parameters: { type: "object" } }]);
      return {
        source,
        change: () => void source.setTools("connection:b", [{ name: "other" }]),
        leftovers: () => [...open],
      };
    },
  });
  for (const { name, check } of checks) test(name, check);
});

describe("owners", () => {
  test("are hosts, connections and extensions", () => {
    expect(["host", "my-host", "connection:a", "extension:b:c", "connection:", "odd:x"].map(toOwner)).toEqual([
      { kind: "host", name: "host" },
      { kind: "host", name: "my-host" },
      { kind: "connection", name: "a" },
      { kind: "extension", name: "b:c" },
      { kind: "host", name: "connection:" },
      { kind: "host", name: "odd:x" },
    ]);
  });

  test("are united, each keeps its tools, and the host's wins a name (N6)", async () => {
    const { source, names } = open();
    source.setTools("connection:b", [{ name: "shared", description: "of b" }, { name: "b_only" }]);
    source.setTools("connection:a", [{ name: "shared", description: "of a" }]);
    source.setTools("host", [{ name: "shared", description: "of the host" }]);
    expect(await names()).toEqual(["host/shared", "b/shared", "b/b_only", "a/shared"]);
    const { entries } = buildCatalog(await source.list(new AbortController().signal), {});
    const winner = entries.find(({ tool, nameOwner }) => tool.name === "shared" && nameOwner === null);
    expect(winner?.tool.description).toBe("of the host");
  });

  test("closing one takes only its tools away, and fails only its calls", async () => {
    const requests: ExternalRequest[] = [];
    const { source, names, run } = open({ onRequested: (request) => void requests.push(request) });
    source.setTools("connection:a", [{ name: "one" }]);
    source.setTools("connection:b", [{ name: "two" }]);
    const [one, two] = [run("one"), run("two")];
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    source.closeOwner("connection:a");
    expect(await names()).toEqual(["b/two"]);
    expect(await one).toMatchObject({
      resultType: "failure",
      textResultForLlm: "The connection that runs this tool is gone.",
    });
    expect(source.answer(requests[1]?.requestId ?? "", "still here")).toBe(true);
    expect(await two).toMatchObject({ resultType: "success", textResultForLlm: "still here" });
  });
});

describe("setting tools", () => {
  test("tells nobody when definitions are equal, keeps the objects, and takes the new handler", async () => {
    const { source, run } = open();
    const say = (text: string): DefinedTool => defineTool("say", { description: "Says it.", handler: () => text });
    source.setTools("host", [say("old")]);
    const before = await source.list(new AbortController().signal);
    const told = vi.fn();
    source.changes(told);
    expect(source.setTools("host", [say("new")])).toEqual({ changed: false, skipped: [] });
    expect(told).not.toHaveBeenCalled();
    expect(await source.list(new AbortController().signal)).toBe(before);
    expect(await run("say")).toMatchObject({ textResultForLlm: "new" });
  });

  test.each([
    ["description", { description: "other" }],
    ["parameters", { parameters: { type: "object", properties: { a: {} } } }],
    ["title", { title: "T" }],
    ["override flag", { overridesBuiltInTool: true }],
    ["permission flag", { skipPermission: true }],
    ["group", { group: "g" }],
  ])("tells of another %s", (_, change) => {
    const { source } = open();
    const told = vi.fn();
    source.setTools("host", [{ name: "a" }]);
    source.changes(told);
    expect(source.setTools("host", [{ name: "a", ...change }]).changed).toBe(true);
    expect(told).toHaveBeenCalledTimes(1);
  });

  test("with [] removes, and twice is no change", () => {
    const { source } = open();
    source.setTools("host", [echo]);
    expect(source.setTools("host", []).changed).toBe(true);
    expect(source.setTools("host", []).changed).toBe(false);
  });

  test("keeps a tool with an invalid schema, for the trust gate to hide (N8)", async () => {
    const { source } = open();
    source.setTools("connection:a", [
      { name: "odd", parameters: { type: "string" } },
      { name: "untyped", parameters: {} },
    ]);
    const tools = await source.list(new AbortController().signal);
    expect(tools.map((tool) => inspectTool(tool).flaws.map(({ code }) => code))).toEqual([
      ["tool.invalid-schema"],
      ["tool.invalid-schema"],
    ]);
  });

  test("says which entries are no tools, and takes the others", async () => {
    const { source, names } = open();
    const given = JSON.parse(
      '[null, {"name": 5}, {"name": "fine", "traits": {"readOnly": "yes"}, "aliases": [1, "b"]}]',
    );
    expect(source.setTools("connection:a", given)).toEqual({ changed: true, skipped: [0, 1] });
    expect(await names()).toEqual(["a/fine"]);
  });

  test("a definition that its owner changes afterwards stays as it was", async () => {
    const { source } = open();
    const parameters = { type: "object", properties: {} };
    source.setTools("host", [{ name: "a", parameters }]);
    parameters.type = "string";
    const [tool] = await source.list(new AbortController().signal);
    expect(tool?.inputSchema).toEqual({ type: "object", properties: {} });
  });

  test("an extension cannot say that nobody need be asked (X2)", async () => {
    const { source } = open();
    source.setTools("extension:x", [{ name: "a", skipPermission: true }]);
    expect((await source.list(new AbortController().signal))[0]?.skipPermission).toBe(false);
  });
});

describe("a call", () => {
  test("gets parsed arguments, and the invocation the raw ones", async () => {
    const seen: unknown[] = [];
    const { source, run } = open();
    const handler = (args: unknown, { signal, ...invocation }: object & { signal?: AbortSignal }) => {
      seen.push(args, invocation, signal instanceof AbortSignal);
      return "done";
    };
    const parameters = z.object({ text: z.string().default("nothing") });
    source.setTools("host", [defineTool("spy", { description: "Looks.", parameters, handler })]);
    await run("spy", {});
    const invocation = { sessionId: "s", toolCallId: "c", toolName: "spy", arguments: {} };
    expect(seen).toEqual([{ text: "nothing" }, invocation, true]);
  });

  test("that fails says nothing of the reason to the model (X8)", async () => {
    const { source, run } = open();
    source.setTools("host", [broken]);
    const { textResultForLlm, error } = await run("broken");
    expect(textResultForLlm).not.toContain("10.0.0.5");
    expect(error).toBe("DB connection failed at 10.0.0.5:5432");
  });

  test("of a definition that has changed since does not run the new one", async () => {
    const { source } = open();
    source.setTools("host", [{ ...echo, tool: { ...echo.tool, description: "Old." } }]);
    const [old] = await source.list(new AbortController().signal);
    source.setTools("host", [echo]);
    const context = { sessionId: "s", toolCallId: "c", signal: new AbortController().signal };
    expect(await source.run(old ?? echo.tool, {}, context)).toMatchObject({ resultType: "failure" });
  });

  test("to a connection is requested and completed once, and a second answer is nobody's", async () => {
    const events: unknown[] = [];
    const { source, run } = open({
      onRequested: (request) => void events.push(request),
      onCompleted: (completion) => void events.push(completion),
    });
    source.setTools("connection:a", [{ name: "remote" }]);
    const running = run("remote", { x: 1 });
    await vi.waitFor(() => expect(events).toHaveLength(1));
    const about = { owner: { kind: "connection", name: "a" }, toolCallId: "c", toolName: "remote" };
    expect(events[0]).toMatchObject({ ...about, sessionId: "s", arguments: { x: 1 } });
    const [{ requestId }] = events as [ExternalRequest]; // The first event, checked above.
    expect(source.answer(requestId, { ok: 1 })).toBe(true);
    expect(source.answer(requestId, "again")).toBe(false);
    expect(await running).toMatchObject({ textResultForLlm: '{"ok":1}', resultType: "success" });
    expect(events[1]).toEqual({ ...about, requestId, resultType: "success" });
    expect(events).toHaveLength(2);
  });

  test("to a connection when nobody takes requests is a failure, not a wait", async () => {
    const { source, run } = open();
    source.setTools("connection:a", [{ name: "remote" }]);
    expect(await run("remote")).toMatchObject({ resultType: "failure" });
  });

  test("whose request cannot be passed on is a failure", async () => {
    const { source, run } = open({
      onRequested: () => {
        throw new Error("socket closed");
      },
    });
    source.setTools("connection:a", [{ name: "remote" }]);
    expect(await run("remote")).toMatchObject({ resultType: "failure", error: "socket closed" });
  });
});

function open(ports: CallPorts = {}) {
  const source: ExternalSource = createExternalSource(ports);
  onTestFinished(() => source.close());
  const list = (): Promise<readonly Tool[]> => source.list(new AbortController().signal);
  return {
    source,
    names: async () => (await list()).map(({ name, owner }) => `${owner?.name}/${name}`),
    run: async (name: string, args: Record<string, unknown> = {}) => {
      const tool = (await list()).find((each) => each.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return source.run(tool, args, { sessionId: "s", toolCallId: "c", signal: new AbortController().signal });
    },
  };
}
