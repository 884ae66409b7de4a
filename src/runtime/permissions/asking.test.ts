import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeTempFolder } from "../../../test/support/temp-folder.ts";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createSession } from "../session/library.ts";
import type { SessionOptions } from "../session/options/session-options.ts";
import type { Session } from "../session/public-session.ts";

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

describe("a person who is asked and changes the input", () => {
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

/** A question that stays open until it is answered. */
function openQuestion() {
  const asked: unknown[] = [];
  const answers: (() => void)[] = [];
  const onPermissionRequest: SessionOptions["onPermissionRequest"] = ({ toolArgs }) => {
    asked.push(toolArgs.n);
    return new Promise((resolve) => answers.push(() => resolve({ decision: "allow" })));
  };
  const until = async (count: number) => {
    while (asked.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { asked, answers, onPermissionRequest, until };
}

test("a deny rule that comes while a call waits for its question is heeded, and nobody is asked", async () => {
  const { asked, answers, onPermissionRequest, until } = openQuestion();
  const session = await start({ permissions: {}, onPermissionRequest });
  const first = session.call("echo", { n: 1 });
  const second = session.call("echo", { n: 2 });
  await until(1);
  await session.updateOptions({ permissions: { deny: ["echo(n:2)"] } });
  answers[0]?.();
  expect([(await first).resultType, (await second).resultType]).toEqual(["success", "denied"]);
  expect(asked).toEqual([1]);
});

test("what an ask rule or a hook asks about is asked each time, whatever was kept before", async () => {
  let count = 0;
  const session = await start({
    permissions: {},
    onPermissionRequest: () => {
      count += 1;
      return { decision: "allow", scope: "session", boundToArguments: true };
    },
  });
  await session.call("echo", { n: 1 });
  await session.call("echo", { n: 1 });
  expect(count).toBe(1);
  await session.updateOptions({ permissions: { ask: ["echo"] } });
  await session.call("echo", { n: 1 });
  await session.call("echo", { n: 1 });
  expect(count).toBe(3);
});

test("a hook that wants a question gets it, also where a rule allows the call", async () => {
  const reasons: string[] = [];
  const session = await start({
    permissions: { allow: ["echo"] },
    hooks: { onPreToolUse: () => ({ permissionDecision: "ask", permissionDecisionReason: "look at it" }) },
    onPermissionRequest: ({ kind, reason }) => {
      reasons.push(`${kind}: ${reason}`);
      return { decision: "deny" };
    },
  });
  expect((await session.call("echo", { n: 1 })).resultType).toBe("denied");
  expect(reasons).toEqual(["hook: look at it"]);
});

describe("a file that is there already", () => {
  async function creating(deny: readonly string[], path: string, more: object = {}) {
    const workspace = makeTempFolder();
    writeFileSync(join(workspace, "a.txt"), "old");
    const asked: string[] = [];
    const onPermissionRequest = ({ toolName }: { readonly toolName: string }) => {
      asked.push(toolName);
      return { decision: "allow" } as const;
    };
    const session = await start({ workspace, builtins: "all", permissions: { deny }, onPermissionRequest });
    const { textResultForLlm } = await session.call("create", { path, content: "new", ...more });
    return { asked, text: textResultForLlm, now: readFileSync(join(workspace, "a.txt"), "utf8") };
  }

  test("is not created, and nobody is asked about it", async () => {
    const { asked, text, now } = await creating([], "a.txt");
    expect({ asked, now }).toEqual({ asked: [], now: "old" });
    expect(text).toContain("exists");
  });

  test("is replaced once somebody has agreed, where that is asked for", async () => {
    expect(await creating([], "a.txt", { overwrite: true })).toMatchObject({ asked: ["create"], now: "new" });
  });

  test("is not given away where it may not be read", async () => {
    const { asked, text } = await creating(["Read(a.txt)"], "a.txt");
    expect(asked.length === 0 && text.includes("exists")).toBe(false);
  });

  test("a new one is asked about as ever", async () => {
    expect((await creating([], "b.txt")).asked).toEqual(["create"]);
  });
});
