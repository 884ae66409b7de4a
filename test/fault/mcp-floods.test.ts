import { describe, expect, test } from "vitest";
import { createFakeClock } from "../support/fake-clock.ts";
import { call, misbehaving, openSource, reaches, runContext, toolOf } from "../support/mcp-sources.ts";

/** Processes start slowly on a busy machine. */
const MB = 1024 * 1024;

describe("results beyond the cap", () => {
  test.each([
    [12, false],
    [12, true],
    [100, false],
  ])("%s MB (id first: %s): that call fails, its server and the other calls do not notice", async (size, idFirst) => {
    const source = openSource(misbehaving());
    const waiting = source.run(await toolOf(source, "hang"), {}, runContext());
    const before = process.memoryUsage().rss;
    const big = await call(source, "big", { bytes: size * MB, idFirst });
    expect(big).toMatchObject({ resultType: "failure", error: expect.stringContaining("mcp.result-too-large") });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB);
    expect(await call(source, "release")).toMatchObject({ textResultForLlm: "released" });
    expect(await waiting).toMatchObject({ textResultForLlm: "late" });
    expect(source.status.state).toBe("connected");
  });

  test("what fits arrives whole", async () => {
    const source = openSource(misbehaving());
    const result = await call(source, "big", { bytes: 9 * MB, idFirst: false });
    expect(result.textResultForLlm.length).toBe(9 * MB);
  });

  test("an endless line is cut, and the server comes back", async () => {
    const clock = createFakeClock();
    const source = openSource(misbehaving(), { clock, limits: { skippedBytes: 50 * MB } });
    const other = openSource(misbehaving());
    await expect(call(source, "endless")).rejects.toMatchObject({ code: "mcp.disconnected" });
    expect(source.status).toMatchObject({ state: "stale", reason: expect.stringContaining("a line did not end") });
    expect(await call(other, "echo", { text: "untouched" })).toMatchObject({ textResultForLlm: "untouched" });
    const again = call(source, "echo", { text: "again" });
    clock.advance(250);
    expect(await again).toMatchObject({ textResultForLlm: "again" });
  });
});

describe("floods", () => {
  // How free the event loop stays meanwhile is measured by the benchmark of sources.
  test("100,000 notifications: others work on, and the flooder is cut with a reason", async () => {
    const source = openSource(misbehaving(), { clock: createFakeClock() });
    const other = openSource(misbehaving());
    await Promise.all([toolOf(source, "flood"), call(other, "echo", { text: "warm" })]);
    const flood = call(source, "flood", { count: 100_000 });
    expect(await call(other, "echo", { text: "meanwhile" })).toMatchObject({ textResultForLlm: "meanwhile" });
    await expect(flood).rejects.toMatchObject({ code: "mcp.disconnected" });
    expect(source.status.reason).toMatch(/^was cut off: it sent more than 10000 messages that nobody asked for/);
  });

  test("50 MB on the error stream cost neither memory nor the call", async () => {
    const source = openSource(misbehaving(), { clock: createFakeClock() });
    await toolOf(source, "echo");
    const before = process.memoryUsage().rss;
    expect(await call(source, "stderr-flood", { bytes: 50 * MB })).toMatchObject({ textResultForLlm: "written" });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB);
  });

  test("a talkative but honest server is not cut", async () => {
    const source = openSource(misbehaving(), { clock: createFakeClock() });
    expect(await call(source, "flood", { count: 9_000 })).toMatchObject({ textResultForLlm: "done" });
  });
});

describe("lines that are no messages", () => {
  test("a few are borne", async () => {
    const source = openSource(misbehaving(), { clock: createFakeClock() });
    expect(await call(source, "junk", { lines: 99 })).toMatchObject({ textResultForLlm: "after junk" });
  });

  test("100 within 10 s are not", async () => {
    const clock = createFakeClock();
    const source = openSource(misbehaving(), { clock });
    expect(await call(source, "junk", { lines: 99 })).toMatchObject({ textResultForLlm: "after junk" });
    clock.advance(10_001);
    expect(await call(source, "junk", { lines: 99 })).toMatchObject({ textResultForLlm: "after junk" });
    await expect(call(source, "junk", { lines: 1 })).rejects.toMatchObject({ code: "mcp.disconnected" });
    expect(source.status.reason).toMatch(/^was cut off: it sent 100 lines/);
  });

  test("duplicate and stray answers never reach another call", async () => {
    const source = openSource(misbehaving(), { clock: createFakeClock() });
    const waiting = source.run(await toolOf(source, "hang"), {}, runContext());
    const answers = await Promise.all([
      call(source, "duplicate", { times: 10, text: "first" }),
      call(source, "stray"),
      ...Array.from({ length: 20 }, (_, at) => call(source, "echo", { text: `own ${at}` })),
    ]);
    expect(answers.map((answer) => answer.textResultForLlm)).toEqual([
      "first",
      "real",
      ...Array.from({ length: 20 }, (_, at) => `own ${at}`),
    ]);
    await call(source, "release");
    expect(await waiting).toMatchObject({ textResultForLlm: "late" });
  });
});

describe("list changes", () => {
  test("100 a second become at most two refreshes a second", async () => {
    const clock = createFakeClock();
    const source = openSource(misbehaving(), { clock });
    const listsSoFar = async () => Number((await call(source, "lists")).textResultForLlm);
    const first = await listsSoFar();
    for (let step = 0; step < 100; step++) {
      await call(source, "change", { times: 1 });
      clock.advance(10);
    }
    const during = (await listsSoFar()) - first;
    expect(during).toBeGreaterThanOrEqual(1);
    expect(during).toBeLessThanOrEqual(3);
    // How long it waits follows from what the work took, which is real.
    const settle = async () => {
      clock.advance(500);
      await call(source, "echo", { text: "settle" });
      return (await source.list(AbortSignal.abort())).map((tool) => tool.name);
    };
    await expect.poll(settle, { timeout: 20_000 }).toContain("added100");
  });

  test("a list that cannot be had leaves the old one, says so, and is asked for again", async () => {
    const clock = createFakeClock();
    const source = openSource(misbehaving(), { clock });
    const before = await source.list(new AbortController().signal);
    await call(source, "break-list", { times: 2 });
    clock.advance(0);
    await reaches(source, "stale");
    expect(source.status.reason).toBe("could not refresh its list: The server cannot list its tools: not now");
    expect(await source.list(AbortSignal.abort())).toBe(before);
    expect(await call(source, "echo", { text: "usable" })).toMatchObject({ textResultForLlm: "usable" });
    for (const patience of [500, 1_000]) {
      expect(clock.pending).toEqual([patience]);
      const news = new Promise<void>((resolve) => source.changes(resolve));
      clock.advance(patience);
      await news;
    }
    expect(source.status.state).toBe("connected");
    expect((await source.list(AbortSignal.abort())).length).toBe(before.length + 1);
  });

  test("a change that changes nothing is no news", async () => {
    const clock = createFakeClock();
    const source = openSource(misbehaving(), { clock });
    const before = await source.list(new AbortController().signal);
    await reaches(source, "connected");
    let news = 0;
    source.changes(() => {
      news += 1;
    });
    await call(source, "announce-nothing");
    clock.advance(500);
    expect(Number((await call(source, "lists")).textResultForLlm)).toBe(2);
    await call(source, "echo", { text: "settle" });
    expect(await source.list(AbortSignal.abort())).toBe(before);
    expect(news).toBe(0);
  });
});
