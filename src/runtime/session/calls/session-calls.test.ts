import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openInside } from "../../../../test/support/inside-session.ts";
import { packagedServer } from "../../../../test/support/mcp-sources.ts";
import { letTimePass } from "../../../../test/support/poll.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import type { PermissionAnswer, PermissionRequest } from "../../permissions/permission-request.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";

let workspace = "";
const open: Session[] = [];

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), "toolcrib-calls-"));
  await writeFile(join(workspace, "a.txt"), "hello\n");
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

const shout = defineTool("shout", {
  description: "Says it loudly",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  handler: async ({ text }) => String(text).toUpperCase(),
});

describe("permission, strictest first (X2)", () => {
  test("no rule and no handler: denied, and the result says so (X3)", async () => {
    const session = await start({ tools: [shout], permissions: { hostTools: "ask" } });
    const result = await session.call("shout", { text: "hi" });
    expect(result).toMatchObject({ resultType: "denied", error: expect.stringContaining("permission.no-handler") });
    expect(result.textResultForLlm).toContain("there is nobody to ask");
  });

  test("an input that an approval makes unusable is blamed on the approval", async () => {
    const session = await start({
      tools: [shout],
      onPermissionRequest: () => ({ decision: "allow", updatedInput: { text: 5 } }),
    });
    expect((await session.call("shout", { text: "hi" })).textResultForLlm).toContain(
      'Whoever approved the call changed the arguments to what cannot be used. The arguments do not fit the tool shout: "text" must be string',
    );
  });

  test("reading in the workspace needs no question, and reading elsewhere does", async () => {
    const session = await start();
    expect((await session.call("view", { path: "a.txt" })).textResultForLlm).toContain("hello");
    expect((await session.call("view", { path: "/etc/passwd" })).resultType).toBe("denied");
  });

  test("rules decide: deny before ask before allow", async () => {
    const asked: PermissionRequest[] = [];
    const onPermissionRequest = async (request: PermissionRequest): Promise<PermissionAnswer> => {
      asked.push(request);
      return { decision: "allow" };
    };
    const session = await start({
      onPermissionRequest,
      permissions: { deny: ["Write(b.txt)"], ask: ["Write(a.txt)"], allow: ["Write(*.txt)"] },
    });
    expect((await session.call("create", { path: "c.txt", content: "c" })).resultType).toBe("success");
    expect((await session.call("create", { path: "b.txt", content: "b" })).resultType).toBe("denied");
    expect(asked).toEqual([]);
    expect((await session.call("edit", { path: "a.txt", old_str: "hello", new_str: "bye" })).resultType).toBe(
      "success",
    );
    expect(asked).toMatchObject([{ kind: "write", toolName: "edit", parts: [{ part: "a.txt", decision: "ask" }] }]);
  });

  test.each([
    ["accept-edits", "success"],
    ["bypass", "success"],
    ["dont-ask", "denied"],
    ["default", "denied"],
  ] as const)("in mode %s an edit of the workspace is a %s without anybody to ask", async (mode, resultType) => {
    const session = await start({ mode });
    expect((await session.call("create", { path: "n.txt", content: "n" })).resultType).toBe(resultType);
  });

  test("no mode, hook or skipPermission is stronger than a deny or ask rule", async () => {
    const skipping = defineTool("skipping", { description: "", skipPermission: true, handler: async () => "ran" });
    const hooks = { onPreToolUse: () => ({ permissionDecision: "allow" }) as const };
    const call = async (options: SessionOptions) =>
      (await (await start({ tools: [skipping], hooks, ...options })).call("skipping")).resultType;
    expect(await call({})).toBe("success");
    expect(await call({ hooks: {} })).toBe("success");
    expect(await call({ permissions: { ask: ["skipping"] } })).toBe("denied");
    expect(await call({ mode: "bypass", permissions: { ask: ["skipping"] } })).toBe("denied");
    expect(await call({ mode: "dont-ask" })).toBe("denied");
  });

  test("a rule that denies some arguments reaches a tool by its own name, also where a toolset has that name first", async () => {
    const search = defineTool("search", {
      description: "",
      skipPermission: true,
      parameters: { type: "object", properties: { text: { type: "string" } } },
      handler: async () => "ran",
    });
    const permissions = { deny: ["search(text:secret)"] };
    const { session, inside } = await openInside({ workspace, builtins: "all", tools: [search], permissions });
    open.push(session);
    const { executor } = await inside.calls();
    const call = async (text: string) =>
      (await executor.call(inside.request(), { id: text, toolName: "search", arguments: { text } })).result;
    expect(await call("secret")).toMatchObject({
      resultType: "denied",
      error: expect.stringContaining("permission.denied"),
    });
    expect((await call("open")).resultType).toBe("success");
  });

  test("a handler's no is a result with its reason, and may end the turn (X4)", async () => {
    const session = await start({
      tools: [shout],
      onPermissionRequest: () => ({ decision: "deny", reason: "too loud" }),
    });
    expect(await session.call("shout", { text: "a" })).toMatchObject({
      resultType: "denied",
      textResultForLlm: expect.stringContaining("too loud"),
    });
    await session.updateOptions({ onPermissionRequest: () => ({ decision: "deny", endTurn: true }) });
    expect(await session.call("shout", { text: "a" })).toMatchObject({ resultType: "rejected", endTurn: true });
    await session.updateOptions({
      onPermissionRequest: () => {
        throw new Error("secret 10.0.0.1");
      },
    });
    expect((await session.call("shout", { text: "a" })).textResultForLlm).not.toContain("10.0.0.1");
  });

  test("a handler that throws is a no, and its error reaches the logger unless the question was withdrawn", async () => {
    const failed: unknown[] = [];
    const session = await start({
      tools: [shout],
      logger: { error: (_, error) => failed.push(error), debug: () => {} },
      onPermissionRequest: async ({ signal }) => {
        if (failed.length === 0) throw new Error("no such window");
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    expect(await session.call("shout", { text: "a" })).toMatchObject({ resultType: "denied" });
    expect(failed).toMatchObject([{ message: "no such window" }]);
    const stop = new AbortController();
    session.on("permission.requested", () => setImmediate(() => stop.abort()));
    const given = session.call("shout", { text: "b" }, { signal: stop.signal });
    expect(await given).toMatchObject({ cancelledBy: "user" });
    await session.close();
    expect(failed).toHaveLength(1);
  });

  test("a call of a server that has no tools yet says so, and not that there is no such tool", async () => {
    const late = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const session = await start({ mcpServers: { late } });
    for (const name of ["late/echo", "late__echo"])
      expect(await session.call(name)).toMatchObject({
        resultType: "failure",
        textResultForLlm: expect.stringMatching(/its server "late" has listed no tools yet/),
      });
    expect((await session.call("other/echo")).textResultForLlm).toContain("does not exist");
  });

  test("values that a tool wants converted are judged as what they become; what could be two things does not run", async () => {
    const seen: unknown[] = [];
    const send = defineTool("send", {
      description: "",
      parameters: z.object({ to: z.coerce.string(), times: z.coerce.number().default(1) }),
      handler: async ({ to, times }) => `${to} ${times + 1}`,
    });
    const session = await start({
      tools: [send],
      permissions: { allow: ["send"], deny: ["send(to:7)", "send(times:13)"] },
      hooks: {
        onPreToolUse: ({ toolArgs }) => {
          seen.push(toolArgs);
          return toolArgs.to === "twice" ? { modifiedArgs: { to: 8, times: "13" } } : undefined;
        },
      },
    });
    expect(await session.call("send", { to: 5, times: "2" })).toMatchObject({ textResultForLlm: "5 3" });
    expect(seen).toEqual([{ to: "5", times: 2 }]);
    for (const args of [{ to: 7 }, { to: "a", times: "13" }, { to: "twice" }])
      expect(await session.call("send", args)).toMatchObject({ resultType: "denied" });
    // Written out by the schema itself, this would be the very name that is denied.
    for (const args of [{ to: ["7"] }, { to: "a", times: ["13"] }, { to: "a", times: "" }])
      expect(await session.call("send", args)).toMatchObject({
        resultType: "failure",
        textResultForLlm: expect.stringContaining("do not fit the tool send"),
      });
  });

  test("a classifier settles what no rule covers, in two stages", async () => {
    const stages: string[] = [];
    const session = await start({
      tools: [shout],
      permissions: { hostTools: "ask" },
      classifier: {
        filter: ({ toolArgs }) => {
          stages.push("filter");
          return toolArgs.text === "safe" ? { verdict: "safe", reason: "plain" } : { verdict: "unsure" };
        },
        judge: ({ toolArgs }) => {
          stages.push("judge");
          return toolArgs.text === "bad" ? { verdict: "unsafe", reason: "shouting" } : { verdict: "unsure" };
        },
      },
    });
    expect((await session.call("shout", { text: "safe" })).resultType).toBe("success");
    expect((await session.call("shout", { text: "bad" })).textResultForLlm).toContain("shouting");
    expect((await session.call("shout", { text: "odd" })).error).toContain("permission.no-handler");
    expect(stages).toEqual(["filter", "filter", "judge", "filter", "judge"]);
  });
});

test("a skill's tool that stands for a server's goes through the same stages", async () => {
  await mkdir(join(workspace, "skills", "s", "tools"), { recursive: true });
  await writeFile(
    join(workspace, "skills", "s", "skill.json"),
    JSON.stringify({ name: "s", description: "S", tools: ["tools/say.json"] }),
  );
  const parameters = { type: "object", properties: { message: { type: "string" } } };
  const say = { name: "say", description: "Says it", parameters, run: { mcp: "everything/echo" } };
  await writeFile(join(workspace, "skills", "s", "tools", "say.json"), JSON.stringify(say));
  const server = packagedServer("everything");
  const session = await start({
    skillDirectories: [join(workspace, "skills")],
    mcpServers: { everything: { command: process.execPath, args: [server] } },
    permissions: { allow: ["say"] },
  });
  await session.settled(AbortSignal.timeout(8_000));
  const told: string[] = [];
  session.on("permission.completed", ({ toolName, decision }) => void told.push(`${toolName} ${decision}`));
  const denied = await session.call("say", { message: "hi" });
  expect(denied).toMatchObject({ resultType: "denied" });
  await session.updateOptions({ permissions: { allow: ["say", "everything/echo"] } });
  expect((await session.call("say", { message: "hi" })).textResultForLlm).toBe("Echo: hi");
  expect(told).toEqual(["say allow", "everything__echo deny", "say allow", "everything__echo allow"]);
});

describe("grants", () => {
  test("an approval for the session is asked once, for exactly what was suggested", async () => {
    let asked = 0;
    const session = await start({
      onPermissionRequest: ({ suggestions }) => {
        asked += 1;
        expect(suggestions[0]?.rules).toEqual([`Write(/${join(workspace, asked === 1 ? "n.txt" : "m.txt")})`]);
        return { decision: "allow", scope: "session" };
      },
    });
    for (const path of ["n.txt", "n.txt", "m.txt", "m.txt"]) {
      await session.call("create", { path, content: "x" });
    }
    expect(asked).toBe(2);
  });

  test("what a rule asks about is asked about each time, so nothing is offered to be kept and nothing is (X2)", async () => {
    let asked = 0;
    const session = await start({
      tools: [shout],
      permissions: { ask: ["shout"] },
      onPermissionRequest: ({ suggestions }) => {
        asked += 1;
        expect(suggestions).toEqual([]);
        return { decision: "allow", scope: "project" };
      },
    });
    for (const text of ["a", "a"]) await session.call("shout", { text });
    expect(asked).toBe(2);
    expect(existsSync(join(workspace, ".toolcrib", "grants.json"))).toBe(false);
  });

  test("one bound to arguments is void when a single one changes, and one that expired is void", async () => {
    let asked = 0;
    const session = await start({
      tools: [shout],
      onPermissionRequest: ({ toolArgs }) => {
        asked += 1;
        return {
          decision: "allow",
          scope: "session",
          boundToArguments: true,
          ...(toolArgs.text === "b" ? { expiresIn: 1 } : {}),
        };
      },
    });
    await session.call("shout", { text: "a" });
    await session.call("shout", { text: "a" });
    expect(asked).toBe(1);
    await session.call("shout", { text: "b" });
    await letTimePass(5);
    await session.call("shout", { text: "b" });
    expect(asked).toBe(3);
  });
});

describe("results and events", () => {
  test("a long result is kept in a file of the workspace that only its owner reads, until the session closes", async () => {
    await writeFile(join(workspace, "long.txt"), "line\n".repeat(20_000));
    const long = defineTool("long", { description: "", skipPermission: true, handler: async () => "y".repeat(60_000) });
    const session = await start({ tools: [long] });
    const { textResultForLlm } = await session.call("long");
    const [, path = ""] = /in the file (\S+);/.exec(textResultForLlm) ?? [];
    expect(path.startsWith(join(workspace, ".toolcrib", "results"))).toBe(true);
    expect(await readFile(path, "utf8")).toHaveLength(60_000);
    await session.close();
    expect(await readdir(join(workspace, ".toolcrib", "results"))).toEqual([".gitignore"]);
  });

  test("each event carries its flag, and a call tells its whole story", async () => {
    const session = await start({ tools: [shout], onPermissionRequest: () => ({ decision: "allow" }) });
    const told: string[] = [];
    session.on("*", ({ type, ephemeral }) => void told.push(`${type}${ephemeral ? " (ephemeral)" : ""}`));
    await session.call("shout", { text: "a" });
    expect(told.filter((type) => !type.startsWith("session."))).toEqual([
      "tool.execution_start",
      "permission.requested",
      "permission.completed",
      "tool.running",
      "tool.execution_complete",
    ]);
  });

  test("hooks see calls, change them, and are told when sessions start and end", async () => {
    const told: string[] = [];
    const session = await start({
      tools: [shout],
      hooks: {
        onSessionStart: () => void told.push("start"),
        onSessionEnd: () => void told.push("end"),
        onPreToolUse: ({ toolArgs }) => ({
          permissionDecision: "allow",
          modifiedArgs: { text: `${toolArgs.text}!` },
          additionalContext: "mind",
        }),
        onPostToolUse: ({ toolResult }) => ({ modifiedResult: `<${toolResult.textResultForLlm}>` }),
      },
    });
    expect(await session.call("shout", { text: "a" })).toMatchObject({
      textResultForLlm: "<A!>",
      additionalContext: ["mind"],
    });
    await session.close();
    expect(told).toEqual(["start", "end"]);
  });

  test("closing the session ends what runs, as a shutdown", async () => {
    const slow = defineTool("slow", {
      description: "",
      skipPermission: true,
      handler: () => new Promise<string>(() => {}),
    });
    const session = await start({ tools: [slow] });
    const running = session.call("slow");
    await new Promise<void>((resolve) => {
      session.on("tool.running", () => resolve());
    });
    await session.close();
    expect((await running).cancelledBy).toBe("shutdown");
  });
});

describe("calls made by what decides about a call", () => {
  const look = defineTool("look", { description: "Looks", traits: { readOnly: true }, handler: () => "seen" });
  const write = defineTool("write", { description: "Writes", handler: () => "written" });
  const rules = { allow: ["look", "write"] };

  test.each(["look", "write"])("a hook that calls %s before and after a call gets its result", async (name) => {
    const heard: string[] = [];
    const ask = async ({ toolName }: { readonly toolName: string }) => {
      if (toolName === "shout") heard.push((await session.call(name)).textResultForLlm);
    };
    const session: Session = await start({
      tools: [shout, look, write],
      permissions: { allow: [...rules.allow, "shout"] },
      hooks: { onPreToolUse: ask, onPostToolUse: ask },
    });
    expect((await session.call("shout", { text: "hi" })).textResultForLlm).toBe("HI");
    expect(heard).toHaveLength(2);
    expect(new Set(heard)).toEqual(new Set([name === "look" ? "seen" : "written"]));
  });

  test("the person who is asked may call a tool, and be asked about that, before they answer", async () => {
    const asked: string[] = [];
    const session: Session = await start({
      tools: [shout, write],
      onPermissionRequest: async ({ toolName }) => {
        asked.push(toolName);
        if (toolName === "shout") asked.push((await session.call("write")).textResultForLlm);
        return { decision: "allow" };
      },
    });
    expect((await session.call("shout", { text: "hi" })).textResultForLlm).toBe("HI");
    expect(asked).toEqual(["shout", "write", "written"]);
  });

  test("a hook that answers for people may call a tool that has to be asked about too", async () => {
    const session: Session = await start({
      tools: [shout, write],
      onPermissionRequest: async () => ({ decision: "allow" }),
      hooks: {
        onPermissionRequest: async ({ toolName }) => {
          if (toolName !== "shout") return undefined;
          return { decision: "allow", reason: (await session.call("write")).textResultForLlm };
        },
      },
    });
    expect((await session.call("shout", { text: "hi" })).textResultForLlm).toBe("HI");
  });

  test("a classifier may call a tool too", async () => {
    const session: Session = await start({
      tools: [shout, look],
      permissions: { allow: ["look"] },
      classifier: {
        filter: async () => ({ verdict: "safe", reason: (await session.call("look")).textResultForLlm }),
      },
    });
    expect((await session.call("shout", { text: "hi" })).textResultForLlm).toBe("HI");
  });
});
