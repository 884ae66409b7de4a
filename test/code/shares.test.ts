import { describe, expect, test } from "vitest";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { createDeferred } from "../../src/system/time/deferred.ts";
import { type CodeSession, knowing, openCodeSession, shareThread } from "../support/code-session.ts";

shareThread();

interface WaitingSession extends CodeSession {
  /** Lets the calls of `wait` end. */
  release(): void;
}

/** A session with the tool `wait`. */
async function openWaiting(tenant: string): Promise<WaitingSession> {
  const { promise, resolve } = createDeferred<string>();
  const ran: string[] = [];
  const wait = defineTool("wait", {
    description: "Waits",
    parameters: { type: "object", properties: {} },
    traits: { readOnly: true, idempotent: true },
    handler: () => {
      ran.push("wait");
      return promise;
    },
  });
  const opened = await openCodeSession({ tenant, tools: [wait], permissions: { allow: ["wait"] } });
  return { ...opened, ran, release: () => resolve("done") };
}

const WAITS = knowing(["wait"], "return await custom.wait()");
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
/** Threads start slowly on a busy machine. */
const SLOW = { timeout: 60_000 };

describe("runs of code that wait (K2)", () => {
  test("keep nobody from running code, and those without a place get one later", async () => {
    const [one, other] = await Promise.all([openWaiting("a"), openWaiting("b")]);
    const runs = many(30, () => one.run(WAITS));
    // More than ever compute at once.
    await expect.poll(() => one.ran.length, SLOW).toBeGreaterThan(8);
    expect(await other.run("return 1")).toBe("1");
    expect(other.ran).toEqual([]);
    one.release();
    expect(new Set(await Promise.all(runs))).toEqual(new Set(["done"]));
  });

  test("leave room for another client though one has many sessions", async () => {
    const sessions = await Promise.all(many(4, () => openWaiting("a")));
    const other = await openWaiting("b");
    const runs = sessions.flatMap(({ run }) => many(12, () => run(WAITS)));
    await expect.poll(() => sessions.filter(({ ran }) => ran.length > 0).length, SLOW).toBeGreaterThan(1);
    expect(await Promise.all([other.run("return 1"), other.run("return 2")])).toEqual(["1", "2"]);
    for (const { release } of sessions) release();
    expect(new Set(await Promise.all(runs))).toEqual(new Set(["done"]));
  });

  test("end at once when they are cancelled before they had a place", async () => {
    const one = await openWaiting("a");
    const runs = many(20, () => one.run(WAITS));
    await expect.poll(() => one.ran.length, SLOW).toBeGreaterThan(8);
    const cancel = new AbortController();
    const late = one.session.call("run_code", { code: "return 1" }, { signal: cancel.signal });
    cancel.abort();
    expect(await late).toMatchObject({ cancelledBy: "user" });
    await one.session.close();
    await Promise.all(runs);
  });
});

test("code that computes leaves places to others (K2)", async () => {
  const [one, other] = await Promise.all([openWaiting("a"), openWaiting("b")]);
  let ended = 0;
  const runs = many(14, async () => {
    await one.run("while (true) {}");
    ended += 1;
  });
  expect(await other.run("return 1")).toBe("1");
  expect(ended).toBe(0);
  await one.session.close();
  await Promise.all(runs);
});

describe("what code looks up and calls (K2)", () => {
  const tools = many(400, () => null).map((_, at) =>
    defineTool(`tool_${at}`, {
      description: `Does thing ${at} with invoices and tickets`,
      parameters: { type: "object", properties: {} },
      handler: async () => "x",
    }),
  );
  const open = (computing: number) => openCodeSession({ tools, permissions: { allow: ["*"] }, limits: { computing } });
  /** The most calls of the code that were begun in one turn of the event loop. */
  const mostAtOnce = async ({ session }: CodeSession, work: () => Promise<string>) => {
    let [most, begun, isDone] = [0, 0, false];
    session.on("tool.execution_progress", () => {
      begun += 1;
      most = Math.max(most, begun);
    });
    const turn = (): void => {
      begun = 0;
      if (!isDone) setImmediate(turn);
    };
    turn();
    const text = await work();
    isDone = true;
    return { text, most };
  };
  const at = (count: number, call: string) =>
    `const all = await Promise.allSettled(Array.from({ length: ${count} }, (_, at) => ${call}));
     return all.filter(({ status }) => status === "fulfilled").length`;

  test.each([
    ["searches", 'tools.search("invoice " + at)', "300"],
    ["descriptions", 'tools.describe("custom.tool_" + at)', "300"],
    ["calls", "custom.tool_1({})", "300"],
    ["calls of what does not exist", 'tools.call("custom.tol_" + at, {})', "0"],
  ])("lets others in between, be it ever so many at once: %s", async (_, call, done) => {
    const opened = await open(300_000);
    await opened.run('await tools.describe("custom.tool_1")');
    const { text, most } = await mostAtOnce(opened, () => opened.run(at(300, call)));
    expect(text).toBe(done);
    expect(most).toBeLessThanOrEqual(2);
  });

  test("counts as computing, where it is looked up", async () => {
    const { run } = await open(300);
    expect(await run(at(999, 'tools.search("invoice " + at)'))).toBe(
      "The code computed for more than 0.3 s and was stopped.",
    );
  });

  test("is no longer than a search needs", async () => {
    const { run } = await open(300_000);
    expect(await run("return await tools.search('x '.repeat(501))")).toContain(
      "tools.search takes the words to look for, in at most 1000 characters",
    );
  });

  test("is guessed at for the first names that mean nothing, and no more", async () => {
    const { run } = await open(300_000);
    const code = `let guessed = 0;
      for (let at = 0; at < 40; at++)
        await tools.call("custom.tol_" + at, {}).catch(({ message }) => (guessed += message.includes("Did you mean") ? 1 : 0));
      return guessed`;
    expect(await run(code)).toBe("20");
  });
});
