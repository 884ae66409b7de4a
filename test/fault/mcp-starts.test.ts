import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMcpSource } from "../../src/sources/mcp/mcp-source.ts";
import type { McpServerSpec } from "../../src/sources/mcp/server-spec.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { call, misbehaving, openSource, reaches, runContext, toolOf } from "../support/mcp-sources.ts";

/** Processes start slowly on a busy machine. */
const never = new AbortController().signal;

describe("a server that does not come up", () => {
  test("exits at start: failed, with its exit code and its last words, and tried again with growing patience", async () => {
    const clock = createFakeClock();
    const source = openSource(misbehaving("exit-at-start"), { clock, random: () => 0.5 });
    expect(source.status.state).toBe("starting");
    expect(await source.list(never)).toEqual([]);
    expect(source.status).toMatchObject({
      state: "failed",
      reason: "exited with code 3",
      next: expect.stringContaining("tried again"),
      stderr: "fatal: no licence",
    });
    const delays: number[] = [];
    for (let round = 0; round < 9; round++) {
      const [delay = 0] = clock.pending;
      delays.push(delay);
      const settled = new Promise<void>((resolve) => {
        const stop = source.changes(() => {
          if (clock.pending.length !== 1 || clock.pending[0] === 60_000) return;
          stop();
          resolve();
        });
      });
      clock.advance(delay);
      await settled;
    }
    // Three quarters of 250 ms, doubling, up to three quarters of 30 s.
    expect(delays).toEqual([188, 375, 750, 1500, 3000, 6000, 12000, 22500, 22500]);
    // The next try is further away than a call waits, so it does not wait at all.
    await expect(source.run(await echo(), {}, runContext())).rejects.toMatchObject({ code: "mcp.unavailable" });
  });

  test("lists a tool that nobody can follow: failed, and its maker is told to mend it, not its command", async () => {
    const source = openSource(misbehaving("deep-tool"));
    expect(await source.list(never)).toEqual([]);
    expect(source.status).toMatchObject({
      state: "failed",
      reason:
        "could not be used: The server's list of tools has a definition that is nested over 1000 levels deep, so none of it was read.",
      next: "Update the server, or tell whoever makes it that its list cannot be used.",
    });
  });

  test("never initialises: failed after the start time-out, and others do not wait for it", async () => {
    const clock = createFakeClock();
    const mute = openSource(misbehaving("never-initialise"), { clock });
    const other = openSource(misbehaving());
    expect(await call(other, "echo", { text: "here" })).toMatchObject({ resultType: "success" });
    expect(mute.status.state).toBe("starting");
    expect(await mute.list(AbortSignal.abort())).toEqual([]);
    expect(clock.pending).toContain(60_000);
    clock.advance(59_999);
    expect(mute.status.state).toBe("starting");
    clock.advance(1);
    await reaches(mute, "failed");
    expect(mute.status.reason).toBe("did not start within 60 s");
  });

  test("writes text where only messages belong: that is known while it starts, and quoted when it has failed", async () => {
    const clock = createFakeClock();
    const code = "console.log('\\u001b[31mHello!\\u001b[0m Server ready'); setInterval(() => {}, 1000)";
    const source = openSource({ command: process.execPath, args: ["-e", code] }, { clock });
    await new Promise<void>((resolve) => void source.changes(() => source.status.fault && resolve()));
    expect(source.status).toMatchObject({
      state: "starting",
      fault: { kind: "chatter", line: "Hello! Server ready" },
    });
    clock.advance(60_000);
    await reaches(source, "failed");
    expect(source.status).toMatchObject({
      reason: "did not start within 60 s",
      next: expect.stringContaining('it wrote: "Hello! Server ready". It is tried again'),
      fault: { kind: "chatter" },
    });
  });

  test("a call waits for a server that is starting, as long as that may take and no longer", async () => {
    const clock = createFakeClock();
    const source = openSource({ ...misbehaving("never-initialise"), startTimeout: 20_000 }, { clock });
    const waits: boolean[] = [];
    const told: unknown[] = [];
    const context = {
      onWaiting: (is: boolean) => void waits.push(is),
      onProgress: (step: object) => void told.push(step),
    };
    const waiting = source.run(await echo(), {}, runContext(context));
    expect(told).toEqual([{ message: 'Waiting for "it" to start', progress: 0, total: null }]);
    clock.advance(19_999);
    expect(waits).toEqual([true]);
    clock.advance(1);
    await expect(waiting).rejects.toMatchObject({
      code: "mcp.unavailable",
      message: expect.stringMatching(/^The MCP server "it" (is starting|did not start within 20 s)\.$/),
    });
    expect(waits).toEqual([true, false]);
    const user = new AbortController();
    const given = source.run(await echo(), {}, runContext({ signal: user.signal }));
    user.abort();
    expect(await given).toMatchObject({ error: "the call was cancelled" });
  });

  test("one that may still be downloading is not ended, and joins when it is ready", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolcrib-npx-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [npx, gate] = [join(folder, "npx"), join(folder, "downloaded")];
    writeFileSync(npx, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 });
    const server = fileURLToPath(new URL("../fixtures/many-tools-server.cjs", import.meta.url));
    const clock = createFakeClock();
    const source = openSource({ command: npx, args: [server, `gate=${gate}`] }, { clock });
    expect(source.status).toMatchObject({ state: "starting", reason: "is starting (npx may be downloading)" });
    expect(clock.pending).toContain(180_000);
    clock.advance(180_000);
    await reaches(source, "failed");
    expect(source.status.reason).toBe("did not start within 180 s (npx may be downloading)");
    expect(source.status.next).toContain("left running");
    // Nothing is started beside it, however long it takes.
    clock.advance(600_000);
    writeFileSync(gate, "");
    await reaches(source, "connected");
    expect(await source.list(new AbortController().signal)).toHaveLength(5);
  });

  test("a program that does not exist is named", async () => {
    const source = openSource({ command: "toolcrib-no-such-program" }, { clock: createFakeClock() });
    await reaches(source, "failed");
    expect(source.status.reason).toContain('There is no program "toolcrib-no-such-program"');
  });

  test("a list that never ends is refused", async () => {
    const source = openSource(misbehaving("endless-pages"), { clock: createFakeClock(), limits: { listPages: 20 } });
    await reaches(source, "failed");
    expect(source.status.reason).toContain("has more than 20 pages");
  });

  test("nobody listens at the address", async () => {
    const source = openSource({ url: "http://127.0.0.1:9/mcp" }, { clock: createFakeClock() });
    await reaches(source, "failed");
    expect(source.status.reason).toBe("could not be reached (ECONNREFUSED)");
  });
});

test("an older server that ends when it is asked for the newer protocol is started again for the older one", async () => {
  const source = openSource(misbehaving("die-on-probe"));
  expect(await call(source, "echo", { text: "old" })).toMatchObject({ textResultForLlm: "old" });
});

test("a server that comes up late is told of once, with its tools and its instructions in place", async () => {
  const source = openSource(misbehaving(), { clock: createFakeClock() });
  expect(await source.list(AbortSignal.abort())).toEqual([]);
  const seen: unknown[] = [];
  source.changes(() => seen.push([source.status.state, source.instructions]));
  const tools = await source.list(never);
  expect(tools.length).toBeGreaterThan(5);
  await call(source, "echo", { text: "x" });
  expect(seen).toEqual([["connected", "Handle with care."]]);
});

test("a disabled server is not started", async () => {
  const source = openSource({ ...misbehaving(), enabled: false });
  expect(await source.list(never)).toEqual([]);
  expect(source.status).toMatchObject({ state: "disabled", next: expect.stringContaining("enabled: true") });
  await expect(source.run(await echo(), {}, runContext())).rejects.toMatchObject({ code: "mcp.unavailable" });
});

test("a restart needs no backoff and keeps the tools' identity", async () => {
  const source = openSource(misbehaving(), { clock: createFakeClock() });
  const before = await toolOf(source, "echo");
  const [pid] = JSON.parse((await call(source, "pids")).textResultForLlm);
  const restarted = source.restart();
  expect(source.status).toMatchObject({ state: "stale", reason: "is being restarted", isRestarting: true });
  await restarted;
  expect(await call(source, "echo", { text: "new" })).toMatchObject({ textResultForLlm: "new" });
  expect(JSON.parse((await call(source, "pids")).textResultForLlm)).not.toContain(pid);
  expect(await toolOf(source, "echo")).toBe(before);
});

test.each<[string, McpServerSpec]>([
  ["has neither `command` nor `url`", {}],
  ['has type "http" and no `url`', { type: "http", command: "x" }],
  ["has a `url` that is no address", { url: "localhost" }],
  ["only http and https can be reached", { url: "file:///etc/passwd" }],
  ["has a user or password in its `url`", { url: "https://user:secret@example.com/mcp" }],
  ['has a header "X-Key" that HTTP does not allow', { url: "https://example.com", headers: { "X-Key": "a\nb" } }],
])("an entry that cannot be used says so: %s", (text, server) => {
  const create = () => createMcpSource({ name: "bad", server, cwd: "/", env: {} });
  expect(create).toThrow(
    expect.objectContaining({ code: "mcp.invalid-server", message: expect.stringContaining(text) }),
  );
  expect(create).not.toThrow("secret");
});

/** A tool to call on a server that lists none. */
function echo() {
  const source = openSource(misbehaving());
  return toolOf(source, "echo");
}
