import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { leftBehind } from "../support/left-behind.ts";
import { needs } from "../support/machine.ts";
import { letTimePass } from "../support/poll.ts";
import { listsUntil, newMachine, startUpProcess } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const SERVER = fileURLToPath(new URL("../fixtures/stubborn-server.mjs", import.meta.url));
const SERVERS = ["one", "two", "three"];
/** Each server, its child, and the one that left it. */
const PROCESSES = SERVERS.length * 3;
const LONGEST = 2_000;

/** What only SIGKILL ends. */
const STAY = "for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(s, () => {}); setInterval(() => {}, 1000)";

function machineWith(config: object) {
  const machine = newMachine({ user: JSON.stringify({ toolSearch: "off", ...config }) });
  onTestFinished(() => {
    for (const pid of leftBehind(machine.home)) process.kill(Number(pid), "SIGKILL");
  });
  const isGone = () => expect.poll(() => leftBehind(machine.home), { timeout: LONGEST, interval: 50 }).toEqual([]);
  const grows = (count: number) => expect.poll(() => leftBehind(machine.home).length, { timeout: 20_000 }).toBe(count);
  return { ...machine, isGone, grows };
}

/** As in a command that another Toolcrib runs. */
const AROUND = { TOOLCRIB_FAMILY: "of another Toolcrib" };

type Machine = ReturnType<typeof machineWith>;

function stubborn(): Machine {
  const server = { command: process.execPath, args: [SERVER] };
  return machineWith({ mcpServers: Object.fromEntries(SERVERS.map((name) => [name, server])) });
}

/** All servers have started, and everything that they start. */
async function settled(client: Client, { grows }: Machine, besides: number): Promise<void> {
  await listsUntil(client, (tools) => SERVERS.every((name) => tools.includes(`${name}__stay`)));
  await grows(PROCESSES + besides);
}

async function startedUp() {
  const machine = stubborn();
  const up = await startUpProcess(machine);
  await settled(await up.connect(), machine, 1);
  return { ...machine, up };
}

/** A client that starts Toolcrib by a command, as its server. */
async function connected({ bin, cwd, env }: Pick<Machine, "bin" | "cwd" | "env">, ...argv: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, ...argv],
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stderr: "ignore",
  });
  const client = new Client({ name: "tester", version: "1" });
  onTestFinished(() => client.close().catch(() => undefined));
  await client.connect(transport);
  return { client, kill: () => process.kill(transport.pid ?? 0, "SIGKILL") };
}

test("a Toolcrib that is killed leaves no server behind, and those of another one run on", async () => {
  const [killed, other] = [await startedUp(), await startedUp()];
  await killed.up.end("SIGKILL");
  await killed.isGone();
  expect(leftBehind(other.home)).toHaveLength(PROCESSES + 1);
});

test("so it is for one that a client started", async () => {
  const machine = stubborn();
  const { client, kill } = await connected(machine, "serve", "--stdio");
  await settled(client, machine, 1);
  kill();
  await machine.isGone();
});

test("so it is for commands in the background, hooks and extensions", needs("bash"), async () => {
  const stay = `exec '${process.execPath}' -e "${STAY}"`;
  const machine = machineWith({
    builtins: "all",
    permissions: { allow: ["Bash"] },
    sandbox: { shell: "off", allowHostShell: true },
    hooks: { preToolUse: [{ matcher: "think", command: stay }] },
    extensions: [{ name: "it", command: process.execPath, args: ["-e", STAY] }],
  });
  const { client, kill } = await connected(machine, "serve", "--stdio");
  await client.callTool({ name: "bash", arguments: { command: stay, mode: "background" } });
  client.callTool({ name: "think", arguments: { thought: "long" } }).catch(() => undefined);
  await machine.grows(4);
  kill();
  await machine.isGone();
});

test("one in the background outlives the process that started it, and leaves nothing behind when it is killed itself", async () => {
  const machine = stubborn();
  const { client, kill } = await connected({ ...machine, env: { ...machine.env, ...AROUND } }, "connect");
  await settled(client, machine, 2);
  kill();
  await machine.grows(PROCESSES + 1);
  await letTimePass(LONGEST);
  const left = leftBehind(machine.home);
  expect(left).toHaveLength(PROCESSES + 1);
  const running = left.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("toolcrib.js"));
  expect(readFileSync(`/proc/${running}/environ`, "utf8")).not.toContain(AROUND.TOOLCRIB_FAMILY);
  process.kill(Number(running), "SIGKILL");
  await machine.isGone();
});
