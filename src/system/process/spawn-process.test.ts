import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/support/machine.ts";
import { letTimePass } from "../../../test/support/poll.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { buildChildEnv } from "./child-env.ts";
import { isGroupAlive } from "./process-group.ts";
import { type ProcessHandle, type ProcessSpec, spawnProcess } from "./spawn-process.ts";

describe("a process", () => {
  test("gets its arguments as they are, without a shell", async () => {
    const { out, handle } = await run(["printf", "%s|", "$HOME", "a b", "; echo no", "*"]);
    expect(await handle.exited).toEqual({ code: 0, signal: null });
    expect(out.text()).toBe("$HOME|a b|; echo no|*|");
  });

  test("tells its exit code, or the signal that ended it", async () => {
    expect(await (await run(["sh", "-c", "exit 7"])).handle.exited).toEqual({ code: 7, signal: null });
    expect(await (await run(["sh", "-c", "kill -SEGV $$"])).handle.exited).toEqual({ code: null, signal: "SIGSEGV" });
  });

  test("has an empty input unless a pipe is asked for", async () => {
    const { out, handle } = await run(["cat"]);
    await handle.exited;
    expect(out.text()).toBe("");
  });

  test("takes written input, and says when it no longer does", async () => {
    const { out, handle } = await run(["head", "-c", "5"], { stdin: "pipe" });
    await handle.write("hello");
    await handle.exited;
    expect(out.text()).toBe("hello");
    await expect(handle.write("more")).rejects.toMatchObject({ code: "process.input-closed" });
  });

  test("sees only the environment it is given, and by whom it was started", async () => {
    const { out, handle } = await run(["env"], { env: { ONLY: "this", PATH: process.env.PATH ?? "" } });
    await handle.exited;
    expect(out.text()).toContain("ONLY=this\n");
    const names = out
      .text()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.filter(Boolean).sort()).toEqual(["ONLY", "PATH", "TOOLCRIB_FAMILY"]);
  });

  test("passes on 50 MB of output whole", async () => {
    let size = 0;
    const { handle } = await run(["head", "-c", "50000000", "/dev/zero"], {
      onStdout: (chunk) => {
        size += chunk.length;
      },
    });
    expect(await handle.exited).toEqual({ code: 0, signal: null });
    expect(size).toBe(50_000_000);
  });

  test("has to wait while its output is paused", async () => {
    let size = 0;
    let arrived = () => {};
    const first = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { handle } = await run(["head", "-c", "20000000", "/dev/zero"], {
      onStdout: (chunk) => {
        size += chunk.length;
        arrived();
      },
    });
    await first;
    handle.pause();
    const seen = size;
    await letTimePass(50);
    expect(size).toBe(seen);
    expect(isGroupAlive(handle.pid)).toBe(true);
    handle.resume();
    await handle.exited;
    expect(size).toBe(20_000_000);
  });
});

test.runIf(process.platform === "linux")(
  "output of what is still at work after its end is waited for",
  // It has to get its turn before a second is over; on a busy machine that may fail once.
  { ...needs("bash"), retry: 3 },
  async () => {
    const busy = "end=$((${EPOCHREALTIME/./} + 200000)); while (( ${EPOCHREALTIME/./} < end )); do :; done; echo late";
    const { out, handle } = await run(["bash", "-c", `(${busy}) & exit 3`], { leftovers: "keep" });
    expect(await handle.exited).toEqual({ code: 3, signal: null });
    expect(out.text()).toBe("late\n");
  },
);

test("a process ends only after what it left running has been heard, however late anybody listens", async () => {
  const { out, handle } = await run(["sh", "-c", "(sleep 0.3; echo late) &"], { leftovers: "keep" });
  await handle.exited;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await handle.ended;
  expect(out.text()).toBe("late\n");
});

describe("starting fails", () => {
  test("when there is no such program, and says which", async () => {
    const error = await run(["no-such-program-here"]).catch((reason: unknown) => reason);
    expect(isToolcribError(error) && [error.code, error.names, error.message]).toEqual([
      "process.not-found",
      ["no-such-program-here"],
      'There is no program "no-such-program-here" on the PATH.',
    ]);
  });

  test("when the program may not be executed", async () => {
    const folder = makeFolder();
    const file = join(folder, "plain.txt");
    writeFileSync(file, "text");
    chmodSync(file, 0o644);
    await expect(run([file])).rejects.toMatchObject({ code: "process.not-started" });
  });

  test("when the path has something else of that name, or a folder that may not be looked into", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, "no-such-program-here"));
    await expect(run(["no-such-program-here"], { env: { PATH: folder } })).rejects.toMatchObject({
      code: "process.not-found",
    });
    writeFileSync(join(folder, "plain"), "text");
    await expect(run(["plain"], { env: { PATH: folder } })).rejects.toThrow("may not be executed");
  });

  test("when the folder is gone, without blaming the program", async () => {
    await expect(run(["true"], { cwd: "/no/such/folder" })).rejects.toThrow("folder to run it in does not exist");
  });

  test("when the signal was aborted before", async () => {
    await expect(run(["true"], { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
  });
});

describe("ending a process", () => {
  test("ends its children and grandchildren too", async () => {
    const { out, handle } = await run(["sh", "-c", "sh -c 'sleep 1000 & echo $!; wait' & echo $!; wait"]);
    const pids = (await out.lines(2)).map(Number);
    expect(pids.every(isRunning)).toBe(true);
    await handle.kill();
    expect([handle.pid, ...pids].filter(isRunning)).toEqual([]);
  });

  test("that ignores SIGTERM takes SIGKILL after the grace", async () => {
    const { out, handle } = await run(["sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000"], {
      grace: 50,
    });
    const [child] = (await out.lines(1)).map(Number);
    await handle.kill();
    expect((await handle.exited).signal).toBe("SIGKILL");
    expect([handle.pid, child ?? 0].filter(isRunning)).toEqual([]);
  });

  test("leaves it its grace to tidy up", async () => {
    const { out, handle } = await run([
      "sh",
      "-c",
      "trap 'echo tidy; exit 3' TERM; echo up; while :; do sleep 0.01; done",
    ]);
    await out.lines(1);
    await handle.kill();
    expect(await handle.exited).toEqual({ code: 3, signal: null });
    expect(out.text()).toBe("up\ntidy\n");
  });

  test("reaches a grandchild that ignores SIGTERM while its parent obeys", async () => {
    const script = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait";
    const { out, handle } = await run(["sh", "-c", script], { grace: 50 });
    const [grandchild] = (await out.lines(1)).map(Number);
    await handle.kill();
    expect(isRunning(grandchild ?? 0)).toBe(false);
  });

  test("reaches a stopped process", async () => {
    const { out, handle } = await run(["sh", "-c", "echo up; kill -STOP $$; echo on"]);
    await out.lines(1);
    await handle.kill();
    expect(isRunning(handle.pid)).toBe(false);
  });

  test.runIf(process.platform === "linux")("reaches a child in a session of its own", needs("setsid"), async () => {
    const { out, handle } = await run(["sh", "-c", "setsid sh -c 'echo $$; sleep 1000' & wait"]);
    const [child] = (await out.lines(1)).map(Number);
    await handle.kill();
    expect(isRunning(child ?? 0)).toBe(false);
  });

  test("reaches a process that keeps forking", async () => {
    const script =
      "f() { sleep 1000 & sh -c 'sleep 1000 & sleep 1000' & }; i=0; while [ $i -lt 50 ]; do f; i=$((i+1)); done; echo up; wait";
    const { out, handle } = await run(["sh", "-c", script]);
    await out.lines(1);
    await handle.kill();
    expect(isGroupAlive(handle.pid)).toBe(false);
  });

  test("by its signal is the same", async () => {
    const controller = new AbortController();
    const { handle } = await run(["sleep", "1000"], { signal: controller.signal });
    controller.abort();
    expect((await handle.exited).signal).toBe("SIGTERM");
    await handle.ended;
    expect(isRunning(handle.pid)).toBe(false);
  });

  test("twice, and after its end, is fine", async () => {
    const { handle } = await run(["true"]);
    await handle.exited;
    await Promise.all([handle.kill(), handle.kill()]);
    await handle.kill();
  });
});

describe("what a process leaves running", () => {
  test("ends with it", async () => {
    const { out, handle } = await run(["sh", "-c", "sleep 1000 & echo $!"]);
    const [left] = (await out.lines(1)).map(Number);
    expect(await handle.exited).toEqual({ code: 0, signal: null });
    await handle.ended;
    expect(isRunning(left ?? 0)).toBe(false);
  });

  test.runIf(process.platform === "linux")("ends with it also where it left its group and its parent", async () => {
    const { stray, handle } = await leaveStray({ leftovers: "end-all" });
    await handle.ended;
    expect(isRunning(stray)).toBe(false);
    const { stray: other, handle: long } = await leaveStray({ leftovers: "end-all" }, "; sleep 1000");
    await long.kill();
    expect(isRunning(other)).toBe(false);
  });

  test.runIf(process.platform === "linux")("is nobody else's: what others started is left alone", async () => {
    const { stray, handle } = await leaveStray({ leftovers: "end" });
    const { handle: other } = await leaveStray({ leftovers: "end-all" });
    await Promise.all([handle.ended, other.ended]);
    expect(isRunning(stray)).toBe(true);
    process.kill(stray, "SIGKILL");
  });

  test("is kept where that is asked for, until it is killed", async () => {
    const { out, handle } = await run(["sh", "-c", "sleep 1000 & echo $!"], { leftovers: "keep" });
    const [left] = (await out.lines(1)).map(Number);
    expect(await handle.exited).toEqual({ code: 0, signal: null });
    expect(isRunning(left ?? 0)).toBe(true);
    await handle.kill();
    expect(isRunning(left ?? 0)).toBe(false);
  });
});

describe("when this process ends", () => {
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "toolcrib-exit-"));
    const entry = fileURLToPath(new URL("./spawn-process.ts", import.meta.url));
    await build({ configFile: false, logLevel: "silent", build: { ssr: entry, outDir: folder, emptyOutDir: false } });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["by exit()", "process.exit(0)", 0],
    ["by an uncaught error", 'throw new Error("bug")', 1],
    ["by a signal nobody handles", 'process.kill(process.pid, "SIGTERM")', "SIGTERM"],
    ["by a signal nobody can handle", 'process.kill(process.pid, "SIGKILL")', "SIGKILL"],
  ])("%s, no child outlives it", async (_, last, expected) => {
    const { end, pids } = await endParent(last, {});
    expect(end).toBe(expected);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  const KILL = 'process.kill(process.pid, "SIGKILL")';
  const LEAVE = `
    const { spawn } = require("node:child_process");
    const left = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    console.log(process.pid + " " + left.pid);
    left.unref();
  `;

  test.each([
    ["forgot its environment", ["env", "-i", "sh", "-c", "trap '' TERM; sleep 1000 & echo $$ $!; wait"]],
    ["left its group", [process.execPath, "-e", `${LEAVE}; setTimeout(() => {}, 1e6)`]],
  ])("by a signal nobody can handle, no child outlives it that %s", async (_, argv) => {
    const { pids } = await endParent(KILL, { argv });
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  test("what was set free stays", async () => {
    const { pids } = await endParent(KILL, { argv: [process.execPath, "-e", LEAVE], leftovers: "free" });
    const [, free = 0] = pids;
    onTestFinished(() => void process.kill(free, "SIGKILL"));
    const { pids: others } = await endParent(KILL, {});
    await expect.poll(() => others.filter(isRunning)).toEqual([]);
    expect(isRunning(free)).toBe(true);
  });

  /** Lets a process end in some way once its child has told its ids. */
  async function endParent(last: string, more: Pick<Partial<ProcessSpec>, "argv" | "leftovers">) {
    const file = join(folder, "parent.mjs");
    writeFileSync(file, parentThatEnds(last, more));
    const parent = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "ignore"] });
    let out = "";
    parent.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const end = await new Promise((resolve) => parent.once("close", (code, signal) => resolve(signal ?? code)));
    return { end, pids: out.trim().split(" ").map(Number) };
  }
});

test("after many rounds no listener, process or pipe is left", async () => {
  const listeners = process.listenerCount("exit");
  const handles = countHandles();
  for (let round = 0; round < 5; round += 1) {
    const started = await Promise.all(Array.from({ length: 10 }, () => run(["sleep", "1000"])));
    await Promise.all(started.map(({ handle }) => handle.kill()));
  }
  await expect.poll(countHandles).toBeLessThanOrEqual(handles);
  expect(process.listenerCount("exit")).toBe(listeners);
});

interface Collected {
  text(): string;
  /** Resolves when so many lines have come. */
  lines(count: number): Promise<string[]>;
}

async function run(argv: readonly string[], more: Partial<ProcessSpec> = {}) {
  const chunks: Buffer[] = [];
  const waiting: (() => void)[] = [];
  const handle: ProcessHandle = await spawnProcess({
    argv,
    cwd: tmpdir(),
    env: buildChildEnv(process.env),
    onStdout: (chunk) => {
      chunks.push(chunk);
      for (const wake of waiting.splice(0)) wake();
    },
    onStderr: () => {},
    ...more,
  });
  onTestFinished(() => handle.kill());
  const out: Collected = {
    text: () => Buffer.concat(chunks).toString(),
    lines: async (count) => {
      while (out.text().split("\n").length <= count) await new Promise<void>((resolve) => waiting.push(resolve));
      return out.text().split("\n").slice(0, count);
    },
  };
  return { handle, out };
}

/** Runs a command that leaves a process behind which moved into a session of its own, lost its parent and ignores SIGTERM. */
async function leaveStray(spec: Partial<ProcessSpec>, last = "") {
  const stubborn = "trap '' TERM; echo $$; exec >&- 2>&-; while :; do sleep 1; done";
  const child = `require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(stubborn)}], { detached: true, stdio: "inherit" }).unref()`;
  const { out, handle } = await run(["sh", "-c", `"$0" -e "$1"${last}`, process.execPath, child], {
    grace: 50,
    ...spec,
  });
  const [stray] = (await out.lines(1)).map(Number);
  return { stray: stray ?? 0, handle };
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-process-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Dead processes that nobody has reaped yet do not count: where process 1 reaps nothing they stay for good. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
}

function countHandles(): number {
  return process.getActiveResourcesInfo().filter((name) => /Process|Pipe/.test(name)).length;
}

function parentThatEnds(last: string, more: object): string {
  const argv = ["sh", "-c", "trap '' TERM; sleep 1000 & echo $$ $!; wait; sleep 1000"];
  return `
    import { spawnProcess } from "./spawn-process.js";
    await spawnProcess({
      ...${JSON.stringify({ argv, ...more })},
      cwd: "/",
      env: process.env,
      onStdout: (chunk) => process.stdout.write(chunk, () => { ${last} }),
      onStderr() {},
    });
  `;
}
