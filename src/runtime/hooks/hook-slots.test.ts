import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import type { HookConfig } from "../../config/config.ts";
import { fromSignal } from "../../core/call/cancelling.ts";
import type { CallEvents } from "../../core/events/event-types.ts";
import { createSlots } from "../../system/slots.ts";
import { SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { createHookRunner } from "./hook-runner.ts";

const open = () => new AbortController().signal;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("slots", () => {
  test("the one that waits longest is next, and a slot that is left twice is one slot", async () => {
    const slots = createSlots(1);
    const first = await slots.take(open());
    const order: string[] = [];
    const second = slots.take(open()).then((leave) => order.push("second") && leave);
    const third = slots.take(open()).then((leave) => order.push("third") && leave);
    first?.();
    first?.();
    const leave = await second;
    await tick();
    expect([order, slots.taken]).toEqual([["second"], 1]);
    if (typeof leave === "function") leave();
    await third;
    expect(order).toEqual(["second", "third"]);
  });

  test("one that gives up waiting gets none, and takes none away", async () => {
    const slots = createSlots(1);
    const first = await slots.take(open());
    const stop = new AbortController();
    const given = slots.take(stop.signal);
    stop.abort();
    expect(await given).toBeNull();
    expect(await slots.take(stop.signal)).toBeNull();
    first?.();
    expect(slots.taken).toBe(0);
    expect(await slots.take(open())).not.toBeNull();
  });
});

describe("hook processes", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "toolcrib-slots-")));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const hook = (command: string, more: Partial<HookConfig> = {}): HookConfig => ({
    origin: { kind: "file", file: "toolcrib.yaml", line: 1 },
    matcher: null,
    when: null,
    command,
    args: null,
    cwd: null,
    env: new Map(),
    timeout: null,
    isAsync: false,
    dialect: "toolcrib",
    onFailure: null,
    ...more,
  });

  function runner(hooks: readonly HookConfig[], slots = createSlots(2), clock = SYSTEM_CLOCK) {
    const ended: CallEvents["hook.end"][] = [];
    const made = createHookRunner({
      sessionId: "s",
      newId: () => "run",
      cwd: folder,
      env: { PATH: process.env.PATH },
      commands: () => new Map([["preToolUse", hooks]]),
      functions: () => ({}),
      clock,
      emit: (name, data) => void (name === "hook.end" && ended.push(data as CallEvents["hook.end"])), // Told by the name.
      warn: () => {},
      slots,
    });
    const run = (signal = open()) =>
      made.run({
        event: "preToolUse",
        names: () => [],
        isMeantBy: async () => true,
        toolCallId: null,
        input: {},
        wireInput: () => ({}),
        cancelling: fromSignal(signal),
      });
    return { ...made, run, ended, slots };
  }

  test("no more of them run at once than there are slots, and all of them run", async () => {
    // Each one leaves a mark while it runs, counts the marks, and waits until a second one is there if there can be one.
    const count = (id: number) =>
      `touch m${id}; i=0; while [ $((i += 1)) -le 50 ]; do n=$(ls m* | wc -l); [ $n -ge 2 ] && break; sleep 0.01; done; ls m* | wc -l > c${id}; rm m${id}`;
    const { run, ended } = runner([0, 1, 2, 3, 4, 5].map((id) => hook(count(id))));
    await run();
    const counts = (await readdir(folder)).filter((name) => name.startsWith("c"));
    expect(counts).toHaveLength(6);
    for (const name of counts) expect(Number(await readFile(join(folder, name), "utf8"))).toBeLessThanOrEqual(2);
    expect(ended.every(({ outcome }) => outcome === "ok")).toBe(true);
  });

  test("time spent waiting for a slot is not a hook's own", async () => {
    const slots = createSlots(1);
    const leave = await slots.take(open());
    const clock = createFakeClock();
    const { run, ended } = runner([hook("true", { timeout: 1 })], slots, clock);
    const running = run();
    await tick();
    clock.advance(3_600_000);
    expect(clock.pending).toEqual([]);
    leave?.();
    await running;
    expect(ended).toMatchObject([{ outcome: "ok", duration: 0 }]);
  });

  test("a hook that waits while its call is given up never starts", async () => {
    const slots = createSlots(1);
    await slots.take(open());
    const stop = new AbortController();
    const { run, ended } = runner([hook("touch started")], slots);
    const running = run(stop.signal);
    await tick();
    stop.abort();
    await running;
    expect([ended, await readdir(folder)]).toEqual([[], []]);
  });

  test("every failure is counted in the event that tells it, also of one that cannot start", async () => {
    const { run, ended, failures } = runner([hook("./missing"), hook("exit 3"), hook("true")]);
    await run();
    await run();
    const details = ended.map(({ name, outcome, failures: count }) => [name, outcome, count]);
    expect(details.slice(0, 3).sort()).toEqual([
      ["./missing", "not-started", 1],
      ["exit 3", "failed", 1],
      ["true", "ok", 0],
    ]);
    expect(
      details
        .slice(3)
        .map(([name, , count]) => [name, count])
        .sort(),
    ).toEqual([
      ["./missing", 2],
      ["exit 3", 2],
      ["true", 0],
    ]);
    expect(Object.fromEntries(failures)).toEqual({ "./missing": 2, "exit 3": 2 });
  });

  test("what nobody waits for ends with the session", async () => {
    const { run, ended, close } = runner([hook("sleep 60", { isAsync: true })]);
    expect(await run()).toEqual([]);
    close();
    close();
    while (ended.length === 0) await tick();
    expect(ended).toMatchObject([{ outcome: "failed", failures: 0 }]);
  });
});
