import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, expect, test, vi } from "vitest";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";

const open: Session[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(open.splice(0).map((session) => session.close()));
});

async function start(options: SessionOptions): Promise<Session> {
  const session = await createSession({ workspace: null, builtins: "all", ...options });
  open.push(session);
  return session;
}

const say = defineTool("say", { description: "Says it", handler: async () => "said" });

test("hooks of a session's start may make calls, which do not wait for the end of those hooks", async () => {
  const heard: string[] = [];
  const session: Session = await start({
    tools: [say],
    permissions: { allow: ["say"] },
    hooks: {
      onSessionStart: async () => {
        heard.push("start", (await session.call("say")).textResultForLlm);
      },
    },
  });
  expect(await session.call("say")).toMatchObject({ textResultForLlm: "said" });
  expect(heard).toEqual(["start", "said"]);
});

test("a call by way of another session runs in the place of the call that it is made inside of", async () => {
  const permissions = { allow: ["say", "ask", "delegate"] };
  const outer: Session = await start({
    permissions,
    tools: [
      say,
      defineTool("delegate", { description: "", handler: async () => (await inner.call("ask")).textResultForLlm }),
    ],
  });
  const inner = await start({
    permissions,
    tools: [defineTool("ask", { description: "", handler: async () => (await outer.call("say")).textResultForLlm })],
  });
  expect(await outer.call("delegate")).toMatchObject({ resultType: "success", textResultForLlm: "said" });
});

test("a person who is asked may ask another session that asks back", async () => {
  const asked: string[] = [];
  const first: Session = await start({
    tools: [say],
    onPermissionRequest: async () => {
      asked.push("first");
      if (asked.length === 1) await second.call("say");
      return { decision: "allow" };
    },
  });
  const second: Session = await start({
    tools: [say],
    onPermissionRequest: async () => {
      asked.push("second");
      await first.call("say");
      return { decision: "allow" };
    },
  });
  expect(await first.call("say")).toMatchObject({ resultType: "success" });
  expect(asked).toEqual(["first", "second", "first"]);
});

test("no session leaves a store of its own behind: each one would slow every promise of the process, for good", async () => {
  const entered = vi.spyOn(AsyncLocalStorage.prototype, "run");
  const hooks = { onSessionStart: async () => {}, onPreToolUse: async () => {} };
  const stores: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const session = await start({ tools: [say], hooks, onPermissionRequest: async () => ({ decision: "allow" }) });
    expect(await session.call("say")).toMatchObject({ resultType: "success" });
    stores.push(new Set(entered.mock.contexts).size);
  }
  expect(stores[0]).toBeGreaterThan(0);
  expect(new Set(stores).size).toBe(1);
});
