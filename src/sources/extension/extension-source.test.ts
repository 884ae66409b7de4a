import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isRunning, makeRun } from "../../../test/support/builtin-host.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { isUntrusted } from "../../core/tool/tool.ts";
import { sourceContract } from "../contract-suite/source-contract.ts";
import { PROGRAM_LIMITS } from "../parts/limits.ts";
import type { RunContext, SourceState } from "../source.ts";
import { createExtensionSource, type ExtensionSource, type ExtensionSourceOptions } from "./extension-source.ts";
import { EXTENSION_PROTOCOL, type ExtensionSpec } from "./extension-spec.ts";

const FIXTURE = fileURLToPath(new URL("../../../test/fixtures/extension.mjs", import.meta.url));
const EXAMPLE = fileURLToPath(new URL("../../../examples/extension/extension.mjs", import.meta.url));

describe("the contract of a source", () => {
  const checks = sourceContract({
    calls: {
      works: { tool: "echo", args: { text: "hi" } },
      fails: { tool: "fail", args: {} },
      hangs: { tool: "hang", args: {} },
    },
    changes: true,
    patience: 8_000,
    make: async () => {
      const source = start([]);
      await reaches(source, "connected");
      const pid = pidOf(await call(source, "echo", { whole: true }));
      return {
        source,
        change: async () => void (await call(source, "change")),
        repeat: async () => void (await call(source, "repeat")),
        leftovers: () => (isRunning(pid) ? [`process ${pid}`] : []),
      };
    },
  });
  for (const { name, check } of checks) test(name, check);
});

describe("tools", () => {
  test("belong to the extension and are untrusted", async () => {
    const [tool] = await start([]).list(new AbortController().signal);
    expect(tool).toMatchObject({ name: "echo", source: "external", owner: { kind: "extension", name: "it" } });
    expect(tool !== undefined && isUntrusted(tool)).toBe(true);
  });

  test("entries that are none are skipped, and the others stay", async () => {
    const tools = await start(["odd-tools"]).list(new AbortController().signal);
    expect(tools.map(({ name }) => name)).toEqual(["echo"]);
  });
});

describe("a call", () => {
  test("carries its ids and arguments, and a string is the text", async () => {
    const source = start([]);
    const { textResultForLlm } = await call(source, "echo", { whole: true, n: 1 });
    expect(JSON.parse(textResultForLlm)).toMatchObject({
      args: { whole: true, n: 1 },
      params: { name: "echo", toolCallId: "call", sessionId: "session" },
    });
    expect((await call(source, "echo", { n: 1 })).textResultForLlm).toBe('echo {"n":1}');
  });

  test("that fails keeps the reason from the model (X8)", async () => {
    const result = await call(start([]), "fail");
    expect(result).toMatchObject({ resultType: "failure", error: "secret at 10.0.0.5" });
    expect(result.textResultForLlm).not.toContain("10.0.0.5");
  });

  test("reports its own progress and nobody else's", async () => {
    const onProgress = vi.fn();
    expect(await call(start([]), "progress", {}, { ...makeRun(), onProgress })).toMatchObject({
      textResultForLlm: "whole",
    });
    expect(onProgress.mock.calls).toEqual([[{ message: "half", progress: 1, total: 2 }]]);
  });

  test("that is cancelled tells the extension", async () => {
    const controller = new AbortController();
    const source = start([]);
    const running = call(source, "hang", {}, makeRun(controller.signal));
    await call(source, "echo");
    controller.abort();
    expect(await running).toMatchObject({ resultType: "failure", error: "the call was cancelled" });
    await call(source, "crash");
    expect(source.status.stderr).toMatch(/cancelled \d+/);
  });

  test("during which the extension dies fails at once, and the next one works after the restart", async () => {
    const source = start([]);
    expect(await call(source, "crash")).toMatchObject({
      resultType: "failure",
      textResultForLlm: 'The extension "it" went away during the call; whether the call had an effect is unknown.',
    });
    expect(source.status).toMatchObject({ state: "stale", reason: "exited with code 7" });
    expect(await source.list(new AbortController().signal)).not.toEqual([]);
    expect(await call(source, "echo")).toMatchObject({ resultType: "success" });
    expect(source.status.state).toBe("connected");
  });

  test("whose result is too large fails alone", async () => {
    const source = start([], { limits: { messageBytes: 10_000 } });
    const [huge, small] = await Promise.all([call(source, "huge", { bytes: 100_000 }), call(source, "echo")]);
    expect(huge).toMatchObject({
      resultType: "failure",
      textResultForLlm: "The tool's result is larger than it may be.",
    });
    expect(small).toMatchObject({ resultType: "success" });
    expect(source.status.state).toBe("connected");
  });

  test("that is answered twice gets the first answer, and no other call the second", async () => {
    const source = start([]);
    expect(await call(source, "answer-twice")).toMatchObject({ textResultForLlm: "first" });
    expect(await call(source, "echo")).toMatchObject({ textResultForLlm: "echo {}" });
  });
});

describe("an extension", () => {
  test("may write a few lines that are no message, and is cut off for many", async () => {
    const source = start([], { limits: { badLines: 20, backoffFirst: 60_000, backoffMost: 60_000 } });
    expect(await call(source, "garbage", { lines: 10 })).toMatchObject({ textResultForLlm: "after garbage" });
    expect(await call(source, "garbage", { lines: 20 })).toMatchObject({ resultType: "failure" });
    expect(source.status.reason).toMatch(/was cut off: it sent 20 lines that are no message/);
  });

  test("that floods is cut off, and nobody else's call is touched", async () => {
    const other = start([]);
    const source = start([], { limits: { floodBurst: 1_000, floodRate: 10, ...SLOW } });
    const [flooded, fine] = await Promise.all([call(source, "flood", { messages: 100_000 }), call(other, "echo")]);
    expect(flooded).toMatchObject({ resultType: "failure" });
    expect(source.status.reason).toMatch(/was cut off: it sent more than 1000 messages that nobody asked for/);
    expect(fine).toMatchObject({ resultType: "success" });
  });

  test("whose line does not end is cut off", async () => {
    const limits = { messageBytes: 100_000, skippedBytes: 200_000, ...SLOW };
    const source = start(["endless"], { limits });
    await reaches(source, "failed");
    expect(source.status.reason).toMatch(/a line did not end within 300000 bytes/);
  });

  test.each([
    ["exit", /^exited with code 3$/],
    ["refuse", /^refused to start: no licence$/],
    ["future", /^speaks version 99 of the extension protocol; this is version 1$/],
  ])("that %ss at its start says why", async (order, reason) => {
    const source = start([order], { limits: SLOW });
    await reaches(source, "failed");
    expect(source.status.reason).toMatch(reason);
    expect(source.status.stderr).toContain("pid ");
    expect(await source.list(new AbortController().signal)).toEqual([]);
  });

  test("of which there is no program says so", async () => {
    const source = start([], { limits: SLOW, extension: { ...spec([]), argv: ["no-such-program-here"] } });
    await reaches(source, "failed");
    expect(source.status.reason).toMatch(/There is no program "no-such-program-here"/);
  });

  test.each(["mute", "toolless"])("that stays %s is given up after its time, and tried again", async (order) => {
    const clock = createFakeClock();
    const source = start([order], { clock, random: () => 0, limits: { startTimeout: 5_000, grace: 50 } });
    await vi.waitFor(() => expect(clock.pending).toContain(5_000));
    clock.advance(5_000);
    await reaches(source, "failed");
    expect(source.status.reason).toBe("did not start within 5 s");
    expect(clock.pending).toEqual([250]);
    clock.advance(250);
    expect(clock.pending).toEqual([5_000]);
  });

  test("cannot show its secrets in logs, states or errors", async () => {
    const onLog = vi.fn();
    const extension = { ...spec([]), env: { SECRET_TOKEN: "s3cret-token" } };
    const source = start([], { onLog, extension, limits: SLOW });
    await call(source, "log");
    expect(onLog.mock.calls).toEqual([[{ level: "warning", message: "look here [hidden]" }]]);
    await call(source, "crash");
    expect(source.status.stderr).toContain("token [hidden]");
  });

  test("gets the harmless part of the environment, not its secrets", async () => {
    const source = start([], { env: { PATH: process.env.PATH, SECRET_TOKEN: "of the parent" }, limits: SLOW });
    await call(source, "crash");
    expect(source.status.stderr).toContain("token none");
  });

  test("that ignores every word is ended with its group on close", async () => {
    const source = start(["deaf"], { limits: { grace: 50 } });
    const pid = pidOf(await call(source, "echo", { whole: true }));
    await source.close();
    expect(isRunning(pid)).toBe(false);
  });

  test("is gone with its pipes after many at once were started and closed", async () => {
    const pipes = () => process.getActiveResourcesInfo().filter((name) => /Pipe|Process/.test(name)).length;
    const before = pipes();
    const sources = Array.from({ length: 10 }, () => start(["deaf"], { limits: { grace: 50 } }));
    // Half of them are still starting when they are closed.
    await Promise.all(sources.slice(5).map((source) => source.list(new AbortController().signal)));
    await Promise.all(sources.map((source) => source.close()));
    await expect.poll(pipes).toBeLessThanOrEqual(before);
  });

  test("can be restarted by hand", async () => {
    const source = start([]);
    const before = pidOf(await call(source, "echo", { whole: true }));
    await source.restart();
    const after = pidOf(await call(source, "echo", { whole: true }));
    expect(after).not.toBe(before);
    expect(isRunning(before)).toBe(false);
  });

  test("that registers often changes the list at most twice a second (C5)", async () => {
    const clock = createFakeClock();
    const source = start([], { clock });
    await reaches(source, "connected");
    const told = vi.fn();
    source.changes(told);
    for (let round = 0; round < 20; round += 1) await call(source, round % 2 === 0 ? "change" : "repeat");
    clock.advance(499);
    const early = told.mock.calls.length;
    clock.advance(1);
    expect(early).toBeLessThanOrEqual(1);
    expect(told.mock.calls.length).toBeLessThanOrEqual(2);
  });
});

describe("the example extension", () => {
  test("rolls dice and counts down with progress", async () => {
    const source = start([], { extension: { ...spec([]), argv: [process.execPath, EXAMPLE] } });
    const tools = await source.list(new AbortController().signal);
    expect(tools.map(({ name }) => name)).toEqual(["roll_dice", "count_down"]);
    const rolled = await call(source, "roll_dice", { count: 4, sides: 6 });
    expect(JSON.parse(rolled.textResultForLlm).dice).toHaveLength(4);
    const onProgress = vi.fn();
    const counted = await call(source, "count_down", { from: 2, pause: 1 }, { ...makeRun(), onProgress });
    expect(counted).toMatchObject({ textResultForLlm: "Lift-off.", resultType: "success" });
    expect(onProgress).toHaveBeenCalledTimes(2);
  });

  test("keeps its own check", async () => {
    const { execFile } = await import("node:child_process");
    const check = fileURLToPath(new URL("../../../examples/extension/check.mjs", import.meta.url));
    const output = await new Promise((resolve, reject) =>
      execFile(process.execPath, [check], (error, stdout) => (error ? reject(error) : resolve(stdout))),
    );
    expect(output).toBe("The extension keeps the protocol.\n");
  });
});

test("the reference names every method and figure", () => {
  const page = readFileSync(new URL("../../../docs/reference/extensions.md", import.meta.url), "utf8");
  const methods = [...page.matchAll(/^\| `([a-z$/]+)` +\| (?:Toolcrib|extension) +\|/gm)].map(([, method]) => method);
  const spoken = ["initialize", "tools/register", "tools/call", "$/cancel", "$/progress", "log", "shutdown"];
  expect(methods).toEqual(spoken);
  const { startTimeout, callWait, grace, messageBytes, skippedBytes, ...rest } = PROGRAM_LIMITS;
  const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
  for (const figure of [
    `register tools within ${startTimeout / 1000} s`,
    `calls wait up to ${callWait / 1000} s`,
    `After ${grace / 1000} seconds`,
    `larger than ${mib(messageBytes)}`,
    `does not end (${mib(messageBytes + skippedBytes)})`,
    `${rest.badLines} lines within ${rest.badLineWindow / 1000} s`,
    `more than ${rest.floodBurst.toLocaleString("en")} messages`,
    `faster than ${rest.floodRate.toLocaleString("en")} a second`,
    `after ${rest.backoffFirst / 1000} s, then ${(2 * rest.backoffFirst) / 1000} s, up to ${rest.backoffMost / 1000} s`,
    `protocolVersion: ${EXTENSION_PROTOCOL}`,
  ]) {
    expect(page).toContain(figure);
  }
});

/** Nothing is tried again while the test looks. */
const SLOW = { backoffFirst: 60_000, backoffMost: 60_000 } as const;

function spec(orders: readonly string[]): ExtensionSpec {
  return { name: "it", argv: [process.execPath, FIXTURE, ...orders], cwd: null, env: {}, origin: { kind: "default" } };
}

function start(orders: readonly string[], more: Partial<ExtensionSourceOptions> = {}): ExtensionSource {
  const { limits, ...rest } = more;
  const source = createExtensionSource({
    extension: spec(orders),
    sessionId: "session",
    cwd: process.cwd(),
    env: process.env,
    ...rest,
    limits: { grace: 500, ...limits },
  });
  onTestFinished(() => source.close());
  return source;
}

async function call(
  source: ExtensionSource,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  context: RunContext = makeRun(),
) {
  const tools = await source.list(new AbortController().signal);
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}: ${JSON.stringify(source.status)}`);
  return source.run(tool, args, context);
}

function pidOf({ textResultForLlm }: { readonly textResultForLlm: string }): number {
  return JSON.parse(textResultForLlm).pid;
}

function reaches(source: ExtensionSource, state: SourceState): Promise<void> {
  if (source.status.state === state) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = source.changes(() => {
      if (source.status.state !== state) return;
      stop();
      resolve();
    });
  });
}
