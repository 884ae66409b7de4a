import { describe, expect, onTestFinished, test, vi } from "vitest";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";
import { createSessionIn } from "../create-session.ts";
import type { Session } from "../public-session.ts";

/** A second lasts a twentieth. */
const HURRIED = (() => {
  const own = ownSurroundings();
  const { setTimeout: after } = own.clock;
  const setTimeout: typeof after = (callback, delay) => after(callback, delay / 20);
  return { ...own, clock: { ...own.clock, setTimeout }, env: {} };
})();

async function open() {
  const events: string[] = [];
  const ends: (() => void)[] = [];
  const deaf = defineTool("slow_write", {
    description: "Writes for long, whatever its signal says",
    timeout: 2_000,
    handler: async () => {
      events.push("slow begins");
      await new Promise<void>((resolve) => void ends.push(resolve));
      events.push("slow has written");
      return "late";
    },
  });
  const write = defineTool("write", { description: "Writes", handler: () => `line ${events.push("write")}` });
  const session = await createSessionIn(HURRIED, { workspace: null, builtins: [], tools: [deaf, write] });
  onTestFinished(() => session.close());
  session.on("session.warning", ({ code, names }) => events.push(`${code} ${names.join()}`));
  return { session, events, end: () => ends.shift()?.() };
}

const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 30_000, interval: 1 });

describe("a handler of defineTool that ignores its signal keeps its place until it ends", () => {
  const stop = new AbortController();
  const tell: [string, { readonly signal?: AbortSignal }, (session: Session) => void][] = [
    ["a time-out", {}, () => {}],
    ["an abort", { signal: stop.signal }, () => stop.abort()],
    ["an interruption", {}, (session) => session.interrupt()],
  ];
  test.each(tell)("after %s", async (_what, options, act) => {
    const { session, events, end } = await open();
    const first = session.call("slow_write", {}, options);
    await until(() => events.length > 0);
    act(session);
    expect((await first).resultType).not.toBe("success");
    const second = session.call("write", {});
    await until(() => events.length > 1);
    expect(events).toEqual(["slow begins", "call.lingering slow_write"]);
    end();
    expect((await second).resultType).toBe("success");
    expect(events.slice(2)).toEqual(["slow has written", "write"]);
  });
});

test("a session closes although a handler never ends", async () => {
  const { session, events } = await open();
  const call = session.call("slow_write", {});
  await until(() => events.length > 0);
  await session.close();
  expect((await call).cancelledBy).toBe("shutdown");
});
