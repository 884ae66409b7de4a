import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { parseCommandLine } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { describeMove, type KnownPorts, listenNear, toListenPlace } from "./up-listen.ts";

const cause = Object.assign(new Error("listen"), { code: "EADDRINUSE" });
const inUse = new ToolcribError("http.cannot-listen", "127.0.0.1:1 cannot be had; choose another", { cause });

function ports(given: Partial<KnownPorts> = {}): KnownPorts {
  return { own: null, others: new Set(), keep: async () => {}, owner: async () => null, ...given };
}

async function place(argv: readonly string[], config = "") {
  const loaded = await createWorkspace({ user: config }).load();
  // Of its input it looks at the arguments alone.
  return toListenPlace({ args: parseCommandLine(["up", ...argv]) } as unknown as CommandInput, loaded);
}

test.each([
  [["--port", "abc"], "--port takes a number"],
  [["--host", "0.0.0.0"], "add --allow-remote"],
])("wrong flags are told before anything is started or written: %j", async (argv, text) => {
  const { cwd, home } = createMachine();
  for (const command of [["up"], ["serve", "--http"]]) {
    const told = await runCli([...command, ...argv], { cwd, env: { HOME: home } });
    expect(told).toMatchObject({ status: 2, err: expect.stringContaining(text) });
  }
  expect(readdirSync(home)).toEqual(["work"]);
});

test("an address that a file asks for and nobody allowed is told before anything is started or written", async () => {
  const started = "require('node:fs').writeFileSync('started', '')";
  const mcpServers = { it: { command: process.execPath, args: ["-e", started] } };
  const { cwd, home } = createMachine({ user: JSON.stringify({ gateway: { host: "0.0.0.0" }, mcpServers }) });
  for (const command of [["up"], ["serve", "--http"]]) {
    const told = await runCli(command, { cwd, env: { HOME: home } });
    expect(told).toMatchObject({ status: 2, err: expect.stringContaining("add --allow-remote") });
    expect(told.err).toMatch(/gateway\.host \(.*config\.yaml:1\) "0\.0\.0\.0"/);
  }
  expect(readdirSync(cwd)).toEqual([".git"]);
  expect(readdirSync(home).sort()).toEqual([".config", "work"]);
});

test("the next free port is used where nobody asked for one", async () => {
  const tried: number[] = [];
  const listen = async (port: number): Promise<number> => {
    tried.push(port);
    if (port < 8789) throw inUse;
    return port;
  };
  expect(await listenNear(await place([]), ports(), listen)).toEqual({ server: 8789, remark: null });
  expect(tried).toEqual([8787, 8788, 8789]);
});

test.each([
  [["--port", "8787"], ""],
  [[], "gateway: { port: 8787 }"],
])("a port that somebody asked for is not replaced: %j %j", async (argv, config) => {
  await expect(listenNear(await place(argv, config), ports(), () => Promise.reject(inUse))).rejects.toBe(inUse);
});

test("a workspace keeps its port, and leaves the ports of others alone", async () => {
  const kept: number[] = [];
  const known = ports({ others: new Set([8787, 8789]), keep: async (port) => void kept.push(port) });
  expect(await listenNear(await place([]), known, async (port) => port)).toEqual({ server: 8788, remark: null });
  expect(kept).toEqual([8788]);
  const own = ports({ own: 9123 });
  expect(await listenNear(await place([]), own, async (port) => port)).toEqual({ server: 9123, remark: null });
});

test("a port that another Toolcrib has is told with whose it is and what to do", async () => {
  const owner = async () => ({ workspace: "/b", pid: 7 });
  const listen = async (port: number) => (port === 8787 ? Promise.reject(inUse) : port);
  await expect(listenNear(await place(["--port", "8787"]), ports({ owner }), listen)).rejects.toThrow(
    'is taken by Toolcrib for /b (process 7); run "toolcrib down --workspace /b"',
  );
  const other = await listenNear(await place([]), ports({ own: 8787, owner }), listen);
  expect(other).toMatchObject({
    server: 8788,
    remark: expect.stringContaining("taken by Toolcrib for /b (process 7)"),
  });
});

test("what else is in the way is told at once", async () => {
  const denied = new ToolcribError("http.cannot-listen", "127.0.0.1:8787 cannot be listened on (EACCES)");
  await expect(listenNear(await place([]), ports(), () => Promise.reject(denied))).rejects.toBe(denied);
});

test.each(["0.0.0.0", "::", "192.168.1.5", "example.com", "127.0.0.1.example.com", "127.1"])(
  "%s takes a flag of its own",
  async (host) => {
    await expect(place(["--host", host])).rejects.toThrow("--allow-remote");
    await expect(place([], `gateway: { host: "${host}" }`)).rejects.toThrow("--allow-remote");
    expect(await place(["--host", host, "--allow-remote"])).toMatchObject({ host, isRemote: true });
  },
);

test.each(["127.0.0.1", "::1", "localhost", "127.9.9.9"])("%s is this machine", async (host) => {
  expect(await place(["--host", host])).toMatchObject({ host, isRemote: false });
});

test.each(["-1", "65536", "http", "1e3", ""])("%j is no port", async (port) => {
  await expect(place([`--port=${port}`])).rejects.toMatchObject({ code: "usage.invalid" });
});

describe("another address in a configuration that is taken over", () => {
  async function move(argv: readonly string[], config: string) {
    const loaded = await createWorkspace({ user: config }).load();
    const input = { args: parseCommandLine(["up", ...argv]) } as unknown as CommandInput; // It looks at these alone.
    return describeMove(input, { host: "127.0.0.1", port: 8787, origin: "http://127.0.0.1:8788" }, loaded);
  }

  test("is told with what counts until then", async () => {
    expect(await move([], "gateway: { port: 9000 }")).toEqual([
      "gateway.port 9000 counts after a restart, and until then it listens on http://127.0.0.1:8788",
    ]);
    expect(await move([], "gateway: { port: 9000, host: localhost }")).toEqual([
      'gateway.host "localhost" and gateway.port 9000 count after a restart, and until then it listens on http://127.0.0.1:8788',
    ]);
  });

  test("says what else a restart will need", async () => {
    expect((await move([], "gateway: { host: 0.0.0.0 }")).join()).toContain("restart, which needs --allow-remote, and");
    expect((await move(["--allow-remote"], "gateway: { host: 0.0.0.0 }")).join()).not.toContain("needs");
  });

  test.each([
    [["--port", "8787"], "gateway: { port: 9000 }"],
    [["--host", "127.0.0.1"], "gateway: { host: 0.0.0.0 }"],
    [[], "gateway: { port: 8787, host: 127.0.0.1 }"],
    [[], ""],
  ])("is not told where it is none, or a flag says it anyway: %j %j", async (argv, config) => {
    expect(await move(argv, config)).toEqual([]);
  });
});
