import { afterEach, describe, expect, test } from "vitest";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createSession, type Session, type SessionOptions } from "../session/create-session.ts";

const sessions: Session[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
});

const parameters = { type: "object", properties: { n: { type: "number" } } } as const;

/** A session with one tool that says what it was called with. */
async function start(options: SessionOptions) {
  const echo = defineTool("echo", {
    description: "Says what it got",
    parameters,
    handler: async (args: { n?: number }) => `got ${args.n}`,
  });
  const session = await createSession({ workspace: null, tools: [echo], ...options });
  sessions.push(session);
  return session;
}

describe("whoever is asked and changes the input", () => {
  test("is asked again where a rule asks about it, but not for ever", async () => {
    const asked: unknown[] = [];
    const session = await start({
      permissions: { ask: ["echo"] },
      onPermissionRequest: ({ toolArgs }) => {
        asked.push(toolArgs.n);
        return asked.length === 10 ? { decision: "allow" } : { decision: "allow", updatedInput: { n: asked.length } };
      },
    });
    const { resultType, textResultForLlm } = await session.call("echo", { n: 0 });
    expect({ asked, resultType }).toEqual({ asked: [0, 1, 2], resultType: "denied" });
    expect(textResultForLlm).toContain("changed again and again");
  });

  test("changes it to nothing that a rule denies", async () => {
    const session = await start({
      permissions: { deny: ["echo(n:7)"] },
      onPermissionRequest: () => ({ decision: "allow", updatedInput: { n: 7 } }),
    });
    expect((await session.call("echo", { n: 0 })).resultType).toBe("denied");
  });
});

test("an answer that is kept settles the questions that wait behind it", async () => {
  let answer = (): void => {};
  const asked: unknown[] = [];
  const session = await start({
    permissions: {},
    onPermissionRequest: ({ toolArgs }) => {
      asked.push(toolArgs.n);
      return new Promise((resolve) => {
        answer = () => resolve({ decision: "allow", scope: "session" });
      });
    },
  });
  const first = session.call("echo", { n: 1 });
  const second = session.call("echo", { n: 2 });
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  answer();
  expect([(await first).resultType, (await second).resultType]).toEqual(["success", "success"]);
  expect(asked).toEqual([1]);
});
