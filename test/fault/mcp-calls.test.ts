import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Progress } from "../../src/sources/source.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { call, happens, misbehaving, openSource, reaches, runContext, toolOf } from "../support/mcp-sources.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** Processes start slowly on a busy machine. */
const success = (text: string) => expect.objectContaining({ resultType: "success", textResultForLlm: text });

describe.each([
  ["2025-11-25", []],
  ["2026-07-28", ["modern"]],
])("protocol %s", (_, orders) => {
  test("every kind of content arrives", async () => {
    const source = openSource(misbehaving(...orders));
    expect(await call(source, "content")).toMatchObject({
      resultType: "success",
      textResultForLlm:
        'one\n[resource file:///a.txt, text/plain]\ninside\n[link file:///c.txt: c, text/plain]\n{"type":"hologram","data":7}',
      binaryResultsForLlm: [
        { type: "image", data: "aW1n", mimeType: "image/png" },
        { type: "audio", data: "c25k", mimeType: "audio/wav" },
        { type: "resource", data: "YmluYXJ5", mimeType: "application/octet-stream", description: "file:///b.bin" },
      ],
      structured: { count: 7 },
    });
    expect(source.instructions).toBe("Handle with care.");
  });

  test("a tool's own failure and a protocol error are results", async () => {
    const source = openSource(misbehaving(...orders));
    expect(await call(source, "fails")).toMatchObject({ resultType: "failure", textResultForLlm: "no such thing" });
    expect(await call(source, "refuses")).toMatchObject({ resultType: "failure", error: "bad arguments" });
    expect(await call(source, "malformed")).toMatchObject({ resultType: "failure" });
    expect(await call(source, "echo", { text: "still" })).toEqual(success("still"));
  });

  test("one odd definition does not take the others away", async () => {
    const source = openSource(misbehaving("odd-tools", ...orders));
    expect(await toolOf(source, "text-schema")).toMatchObject({ inputSchema: { type: "string" } });
    expect(await call(source, "echo", { text: "fine" })).toEqual(success("fine"));
    expect(source.status).toMatchObject({ state: "connected", reason: "lists entries that are not tools: 2" });
  });

  test("progress of this call is reported, that of others is not", async () => {
    const source = openSource(misbehaving(...orders));
    const steps: Progress[] = [];
    await call(source, "progress", {}, runContext({ onProgress: (step) => steps.push(step) }));
    expect(steps).toEqual([1, 2].map((progress) => ({ progress, total: 2, message: "step" })));
  });

  test("list changes arrive, and an unchanged tool stays the same object", async () => {
    const source = openSource(misbehaving(...orders));
    const before = await toolOf(source, "echo");
    await call(source, "change", { times: 1 });
    const added = async () => (await source.list(AbortSignal.abort())).some((tool) => tool.name === "added1");
    while (!(await added())) await new Promise<void>((resolve) => source.changes(resolve));
    expect(await toolOf(source, "echo")).toBe(before);
  });
});

describe("a call that hangs", () => {
  test("ends exactly at its time-out, is cancelled, and three in a row open the breaker for 30 s", async () => {
    const clock = createFakeClock();
    const source = openSource({ ...misbehaving(), timeout: 5_000 }, { clock });
    const hang = await toolOf(source, "hang");
    expect(hang.timeout).toBe(5_000);
    for (const round of [1, 2, 3]) {
      let done = false;
      const running = source.run(hang, {}, runContext()).finally(() => {
        done = true;
      });
      // The request is on its way as soon as its timer is set.
      await until(() => clock.pending.includes(5_000));
      clock.advance(4_999);
      await turn();
      expect(done).toBe(false);
      clock.advance(1);
      expect(await running).toMatchObject({ resultType: "timeout", cancelledBy: "timeout" });
      expect(source.status.state).toBe(round === 3 ? "stale" : "connected");
    }
    await expect(call(source, "echo", { text: "x" })).rejects.toMatchObject({ code: "mcp.unavailable" });
    clock.advance(29_999);
    await expect(call(source, "echo", { text: "x" })).rejects.toMatchObject({ code: "mcp.unavailable" });
    clock.advance(1);
    const probe = call(source, "cancelled");
    await expect(call(source, "echo", { text: "x" })).rejects.toMatchObject({ code: "mcp.unavailable" });
    expect(JSON.parse((await probe).textResultForLlm)).toHaveLength(3);
    expect(source.status.state).toBe("connected");
    expect(await call(source, "echo", { text: "back" })).toEqual(success("back"));
  });

  test("a late answer reaches nobody", async () => {
    const clock = createFakeClock();
    const source = openSource({ ...misbehaving(), timeout: 50 }, { clock });
    const hang = source.run(await toolOf(source, "hang"), {}, runContext());
    await until(() => clock.pending.includes(50));
    clock.advance(50);
    expect(await hang).toMatchObject({ resultType: "timeout" });
    expect(await call(source, "release")).toEqual(success("released"));
    expect(await call(source, "echo", { text: "mine" })).toEqual(success("mine"));
  });

  test("an aborted call ends at once and the server is told", async () => {
    const source = openSource(misbehaving());
    const user = new AbortController();
    const hang = source.run(await toolOf(source, "hang"), {}, runContext({ signal: user.signal }));
    await call(source, "echo", { text: "between" });
    user.abort();
    expect(await hang).toMatchObject({ resultType: "failure", error: "the call was cancelled" });
    expect(JSON.parse((await call(source, "cancelled")).textResultForLlm)).toHaveLength(1);
  });
});

describe("a server that dies", () => {
  test("mid-call: a typed error at once, the others with it, then back after the backoff", async () => {
    const clock = createFakeClock();
    const { base } = tempWorkspace();
    const log = `${base}/calls`;
    const source = openSource(misbehaving(`log=${log}`), { clock, random: () => 0 });
    const hang = source.run(await toolOf(source, "hang"), {}, runContext());
    const die = call(source, "die");
    // The clock stands still, so what ends these calls is not their time-out.
    await expect(die).rejects.toMatchObject({ code: "mcp.disconnected", names: ["it"] });
    await expect(hang).rejects.toMatchObject({ code: "mcp.disconnected" });
    await reaches(source, "stale");
    expect(source.status).toMatchObject({
      reason: "was ended by SIGKILL",
      next: expect.stringContaining("tried again"),
    });
    expect((await source.list(AbortSignal.abort())).length).toBeGreaterThan(5);
    const next = call(source, "echo", { text: "again" });
    expect(clock.pending[0]).toBe(250);
    clock.advance(250);
    expect(await next).toEqual(success("again"));
    expect(source.status.state).toBe("connected");
    expect(
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line === "die" || line === "hang"),
    ).toEqual(["hang", "die"]);
  });

  test.each([
    [false, false],
    [true, true],
  ])(
    "a harmless call is repeated once only where the server's word counts (%s)",
    async (trustAnnotations, repeated) => {
      const { base } = tempWorkspace();
      const file = `${base}/died`;
      const source = openSource({ ...misbehaving(), trustAnnotations }, { limits: { backoffFirst: 1 } });
      const result = call(source, "die-once", { file });
      if (repeated) expect(await result).toEqual(success("alive"));
      else await expect(result).rejects.toMatchObject({ code: "mcp.disconnected" });
      expect(existsSync(file)).toBe(true);
    },
  );

  test("the error stream is kept: its last 4 KB, clean, and without secrets", async () => {
    const env = { API_TOKEN: "s3cr3t-token-value" };
    const source = openSource({ ...misbehaving(), env }, { clock: createFakeClock() });
    const noise = `${"x".repeat(9_000)}\n\u001b[31mred\u001b[0m s3cr3t-token-value \u0007end\n`;
    await call(source, "stderr", { text: noise });
    await expect(call(source, "die")).rejects.toMatchObject({ code: "mcp.disconnected" });
    await reaches(source, "stale");
    const { stderr } = source.status;
    expect(stderr).toMatch(/^x+\nred \[hidden\] end$/);
    expect(stderr?.length).toBeLessThanOrEqual(4_096);
  });
});

test("a process gets the environment without its secrets, its own, and its folder", async () => {
  const { project } = tempWorkspace();
  const env = { HOME: "/home/somebody", PATH: process.env.PATH, MY_SECRET: "no", DB: "pg://a:b@c/d", NVM_DIR: "/nvm" };
  const source = openSource({ ...misbehaving(), env: { OWN: "yes" }, cwd: project }, { env });
  const seen: unknown = JSON.parse((await call(source, "env")).textResultForLlm);
  expect(seen).toMatchObject({ HOME: "/home/somebody", OWN: "yes", NVM_DIR: "/nvm" });
  expect(seen).not.toHaveProperty("MY_SECRET");
  expect(seen).not.toHaveProperty("DB");
  expect(source.heldBack).toEqual(["DB", "MY_SECRET"]);
  expect(await call(source, "cwd")).toEqual(success(project));
  await happens(source, () => source.status.state === "connected");
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
