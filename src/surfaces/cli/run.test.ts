import { expect, test } from "vitest";
import { run } from "./run.ts";
import type { Io } from "./terminal/io.ts";

/** An Io whose input breaks in a way that no user can cause. */
function createBroken(env: Io["env"] = {}) {
  const told = { out: "", err: "" };
  const io: Io = {
    out: (text) => {
      told.out += text;
    },
    err: (text) => {
      told.err += text;
    },
    onLine: () => () => {},
    readInput: () => Promise.reject(new TypeError("of undefined")),
    env,
    cwd: "/",
    columns: null,
    isTTY: false,
    canAsk: false,
    errIsTTY: false,
    onInterrupt: () => () => {},
  };
  return { io, told };
}

test("a bug of ours ends with a short message, status 1, and no stack", async () => {
  const { io, told } = createBroken();
  expect(await run(["list", "--world", "-"], io)).toBe(1);
  expect(told.err).toBe(
    "toolcrib: something went wrong inside: of undefined; please report it, with the output of --log-level debug\n",
  );
});

test("its stack is shown while debugging", async () => {
  for (const [argv, env] of [
    [["--log-level", "debug"], {}],
    [["--log-level=debug"], {}],
    [[], { TOOLCRIB_LOG: "debug" }],
  ] as const) {
    const { io, told } = createBroken(env);
    await run(["list", "--world", "-", ...argv], io);
    expect(told.err).toContain("TypeError: of undefined\n    at ");
  }
});

test("as JSON it has the code internal.bug", async () => {
  const { io, told } = createBroken();
  expect(await run(["list", "--world", "-", "--json"], io)).toBe(1);
  expect(JSON.parse(told.out)).toMatchObject({ error: { code: "internal.bug" } });
  expect(told.err).toBe("");
});

test("what the machine does not allow is no bug, and says where and what to do", async () => {
  const { io, told } = createBroken();
  const full = Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC", path: "/d/f", syscall: "write" });
  expect(await run(["list", "--world", "-"], { ...io, readInput: () => Promise.reject(full) })).toBe(1);
  expect(told.err).toContain("toolcrib: /d/f: the disk is full (ENOSPC)");
  expect(told.err).toContain("XDG_STATE_HOME");
  expect(told.err).not.toContain("report");
});
