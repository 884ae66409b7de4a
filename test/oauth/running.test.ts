import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { ensureBuilt, startCli } from "../support/built-cli.ts";
import { leftBehind } from "../support/left-behind.ts";
import { untilHolds } from "../support/poll.ts";
import { listsUntil, newMachine, runHere, startUp, startUpProcess } from "../support/running-up.ts";
import { startAuthServer } from "./auth-server.ts";
import { browse, findAddress, startProtectedMcp } from "./protected-mcp.ts";

/** Each of these starts a process that starts more. */
beforeAll(ensureBuilt, 120_000);

const ECHO = new URL("../fixtures/echo-server.cjs", import.meta.url).href;
/** Says on its error stream which process it is. */
const talking = {
  command: process.execPath,
  args: ["--input-type=module", "-e", `console.error("I am " + process.pid); await import(${JSON.stringify(ECHO)})`],
};
const config = (mcpServers: object): string => JSON.stringify({ toolSearch: "off", mcpServers });

test("servers logs and restart are about the toolcrib up that runs for the workspace", async () => {
  const machine = newMachine({ user: config({ talker: talking }) });
  const run = (...argv: readonly string[]) => runHere(["servers", ...argv], machine);
  const up = await startUp(machine);
  await listsUntil(await up.connect(), (tools) => tools.includes("talker__echo"));

  const first = await run("logs", "talker");
  expect(first.err).toContain(`process ${up.document.pid}`);
  const again = await run("logs", "talker");
  expect(again.out).toMatch(/^I am \d+\n$/);
  expect(again.out).toBe(first.out);

  const restarted = JSON.parse((await run("restart", "talker", "--json", "--timeout", "30")).out);
  expect(restarted).toMatchObject({
    server: { name: "talker", state: "connected" },
    running: { pid: up.document.pid },
  });
  const after = await run("logs", "talker");
  expect(after.out).toMatch(/^I am \d+\n$/);
  expect(after.out).not.toBe(first.out);
  expect((await run("restart", "talkre")).err).toContain('did you mean "talker"?');

  await up.end();
  const alone = await run("restart", "talker");
  expect(alone.status).toBe(0);
  expect(alone.err).toContain("No running Toolcrib has this server here");
  expect(runningFiles(machine.home)).toEqual([]);
});

test("servers restart waits until a server with known tools has started again, and says so when that takes too long", async () => {
  const machine = newMachine();
  const [starts, go] = [join(machine.home, "starts"), join(machine.home, "go")];
  const script = `
    import { appendFileSync, existsSync, readFileSync } from "node:fs";
    const [starts, go] = ${JSON.stringify([starts, go])};
    appendFileSync(starts, "x");
    const isFirst = readFileSync(starts, "utf8") === "x";
    const look = setInterval(() => {
      if (!isFirst && !existsSync(go)) return;
      clearInterval(look);
      void import(${JSON.stringify(ECHO)});
    }, 20);`;
  const slow = { command: process.execPath, args: ["--input-type=module", "-e", script] };
  machine.write("user", config({ slow }));
  const up = await startUp(machine);
  await listsUntil(await up.connect(), (tools) => tools.includes("slow__echo"));
  const restart = (timeout: string) => runHere(["servers", "restart", "slow", "--json", "--timeout", timeout], machine);

  const late = await restart("1");
  expect(late.status).toBe(1);
  expect(JSON.parse(late.out)).toMatchObject({
    server: { state: "stale", reason: "is being restarted" },
    running: { pid: up.document.pid },
  });
  const waiting = restart("30");
  await untilHolds(() => readFileSync(starts, "utf8") === "xxx");
  writeFileSync(go, "");
  const answer = await waiting;
  expect(answer.status).toBe(0);
  expect(JSON.parse(answer.out)).toMatchObject({ server: { state: "connected" }, running: { pid: up.document.pid } });
});

test("what a killed one left behind misleads nobody, and one of another workspace is left alone", async () => {
  const machine = newMachine({ user: config({ talker: talking }) });
  const killed = await startUpProcess(machine);
  await killed.end("SIGKILL");
  expect(runningFiles(machine.home)).toHaveLength(1);
  const alone = JSON.parse((await runHere(["servers", "logs", "talker", "--json"], machine)).out);
  expect(alone.running).toBeNull();

  const up = await startUp(machine);
  expect(runningFiles(machine.home)).toHaveLength(1);
  const elsewhere = { ...machine, cwd: machine.home };
  const other = JSON.parse((await runHere(["servers", "logs", "talker", "--json"], elsewhere)).out);
  expect(other.running).toBeNull();
  await up.end();
  expect(runningFiles(machine.home)).toEqual([]);
});

test("another program in the place of a killed one is not taken for it, and gets no token", async () => {
  const machine = newMachine({ user: config({ talker: talking }) });
  const killed = await startUpProcess(machine);
  await killed.end("SIGKILL");
  const folder = join(machine.home, ".local/state/toolcrib/running");
  const [left = ""] = runningFiles(machine.home);
  const note = JSON.parse(readFileSync(join(folder, left), "utf8"));
  const heard: string[] = [];
  const stranger = createServer(({ url, headers }, response) => {
    heard.push(JSON.stringify([url, headers]));
    response.setHeader("content-type", "application/json").end('{"ok":true}');
  });
  stranger.listen(Number(new URL(killed.document.endpoint).port), "127.0.0.1");
  await once(stranger, "listening");
  onTestFinished(() => void stranger.close());
  // This process is as good as any that got the id later.
  writeFileSync(join(folder, left), JSON.stringify({ ...note, pid: process.pid }));
  const alone = JSON.parse((await runHere(["servers", "restart", "talker", "--json"], machine)).out);
  expect(alone).toMatchObject({ server: { state: "connected" }, running: null });
  expect(heard).toEqual([]);
});

test("a toolcrib up that waits for a login goes on when somebody has logged in beside it", async () => {
  const auth = await startAuthServer();
  const server = await startProtectedMcp(auth);
  const machine = newMachine({ user: config({ demo: { url: server.url } }) });
  const up = await startUp(machine);
  const client = await up.connect();
  const state = async () => JSON.parse((await runHere(["servers", "restart", "demo", "--json"], machine)).out);
  expect(await state()).toMatchObject({ server: { state: "needs-auth" }, running: { pid: up.document.pid } });

  const login = startLogin(machine);
  await fetch(await browse(await login.address));
  expect(await login.ended).toBe(0);
  await listsUntil(client, (tools) => tools.includes("demo__echo"));
  const result = await client.callTool({ name: "demo__echo", arguments: { text: "through the gateway" } });
  expect(JSON.stringify(result)).toContain("through the gateway");

  const audit = await runHere(["audit", "--json"], machine);
  for (const secret of auth.given) expect(login.said() + audit.out + audit.err).not.toContain(secret);
  await up.end();
});

test("Ctrl-C during a login closes the door and leaves nothing behind", async () => {
  const auth = await startAuthServer();
  const server = await startProtectedMcp(auth);
  const machine = newMachine({ user: config({ demo: { url: server.url } }) });
  const login = startLogin(machine);
  const back = await browse(await login.address);
  login.child.kill("SIGINT");
  expect(await login.ended).toBe("SIGINT");
  await expect(fetch(back)).rejects.toThrow();
  const logins = join(machine.home, ".local/state/toolcrib/logins");
  expect(existsSync(logins) ? readdirSync(logins) : []).toEqual([]);
  expect(leftBehind(machine.home)).toEqual([]);
});

/** `toolcrib servers login demo` in a process of its own. */
function startLogin(machine: ReturnType<typeof newMachine>) {
  const child = startCli(["servers", "login", "demo", "--log-level", "debug"], machine);
  let text = "";
  const ended = once(child, "close").then(([status, signal]) => (status === null ? signal : status));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const address = new Promise<string>((resolve, reject) => {
    const note = (chunk: string): void => {
      text += chunk;
      const found = findAddress(text);
      if (found !== null) resolve(found);
    };
    child.stdout?.setEncoding("utf8").on("data", note);
    child.stderr?.setEncoding("utf8").on("data", note);
    void ended.then(() => reject(new Error(`it ended before that:\n${text}`)));
  });
  return { child, address, ended, said: () => text };
}

/** The notes of those that run. */
function runningFiles(home: string): readonly string[] {
  return readdirSync(join(home, ".local/state/toolcrib/running")).filter((name) => name.endsWith(".json"));
}
