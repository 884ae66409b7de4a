import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { sqlitePath } from "../../src/runtime/store/open-store.ts";
import { createWanderer, eventsOf, type StreamEvent } from "../gateway/machines.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";
import { shortly } from "../support/poll.ts";
import { startPostgres } from "../support/postgres-server.mjs";
import { createRandom } from "../support/random.ts";
import { newMachine, runHere, startUp, startUpProcess, type UpProcess } from "../support/running-up.ts";

const ECHO = new URL("../fixtures/echo-server.cjs", import.meta.url).pathname;
const COUNTING = new URL("../fixtures/task-server.cjs", import.meta.url).pathname;
const TOKEN = "shared-token";
const CLIENTS = Number(process.env.TOOLCRIB_CLIENTS ?? 3);
const CALLS = Number(process.env.TOOLCRIB_CALLS ?? 1_000);
/** At least so many, and then one after so many milliseconds for as long as there are calls; none where that is 0. */
const KILLS = Number(process.env.TOOLCRIB_MACHINE_KILLS ?? 2);
const KILL_EVERY = Number(process.env.TOOLCRIB_KILL_EVERY ?? 0);
const SEED = Number(process.env.TOOLCRIB_KILL_SEED ?? 20_260_728);
const IS_SOAK = process.env.TOOLCRIB_CALLS !== undefined;
const PATIENT = { timeout: 60_000 };
/** Milliseconds by which the clock of each machine is wrong. */
const CLOCKS = [0, 60_000, -60_000];

const configOf = (more: object): string =>
  JSON.stringify({
    mcpServers: {
      e: { command: process.execPath, args: [ECHO] },
      it: { command: process.execPath, args: [COUNTING] },
    },
    permissions: { allow: ["e/echo", "it/seen"], ask: ["e/pid", "it/plain"] },
    toolSearch: "off",
    gateway: { token: TOKEN, approvals: "inspector" },
    ...more,
  });
const echo = (text: string) => ["tools/call", { name: "e__echo", arguments: { text } }] as const;

beforeAll(ensureBuilt);

describe("one machine", () => {
  test("a client's session survives the end of its Toolcrib, gentle or not, whatever store the repository brings and whatever lies in its place (M1, S6)", async () => {
    const machine = newMachine({ user: configOf({}), "toolcrib.yaml": "store: { url: 'sqlite:planted.db' }\n" });
    mkdirSync(join(machine.cwd, ".toolcrib"));
    const planted = ["planted.db", ".toolcrib/state.db"].map((name) => join(machine.cwd, name));
    for (const path of planted) writeFileSync(path, "theirs");
    const client = createWanderer(TOKEN);
    const precious = join(machine.home, "precious");
    writeFileSync(precious, "precious");
    const file = sqlitePath({ home: machine.home, env: {}, workspace: machine.cwd });
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(precious, file);
    const linked = await startUp(machine);
    await linked.says(/sessions of clients are not kept.*sessions\.db.*link/);
    await client.initialize(linked.document.endpoint);
    expect(await client.request(linked.document.endpoint, ...echo("all the same"))).toMatchObject({ status: 200 });
    await linked.end();
    expect(readFileSync(precious, "utf8")).toBe("precious");
    rmSync(file);

    const first = await startUpProcess(machine);
    await client.initialize(first.document.endpoint);
    await first.end("SIGKILL");
    await (await startUp(machine)).end();
    const again = await startUp(machine);
    const answer = await client.request(again.document.endpoint, ...echo("still here"));
    expect(answer).toMatchObject({ status: 200, result: { content: [{ text: "still here" }] } });
    for (const path of planted) expect(readFileSync(path, "utf8")).toBe("theirs");
  });
});

describe("three machines on one PostgreSQL behind a balancer", needs("postgres"), () => {
  test("answer every call rightly although machines are killed and clocks differ, share approvals, and go on without the database (M1, M2, S11)", {
    timeout: 120_000 + CALLS * 60,
  }, async () => {
    const server = await startPostgres();
    onTestFinished(() => server.dispose());
    const url = await server.createDatabase("machines");
    const places = CLOCKS.map((wrong) => withClock(newMachine({ user: configOf({ store: { url } }) }), wrong));
    const machines: UpProcess[] = await Promise.all(places.map((place) => startUpProcess(place)));
    const next = balance(machines);
    const clients = Array.from({ length: CLIENTS }, () => createWanderer(TOKEN));
    for (const client of clients) await client.initialize(next());

    const progress = { done: 0, broken: 0, killed: 0 };
    const calls = Promise.all(clients.map((client, who) => makeCalls(client, who, next, progress)));
    await Promise.all([calls, killMachines(machines, places, progress)]);
    expect(progress.done).toBe(clients.length * CALLS_EACH);

    const [client = createWanderer()] = clients;
    await shareApprovals(machines, client);
    // One that was not let run for long is missing until it beats again.
    const status = () => runHere(["status"], places[0] as Place);
    const listed = async () => (await status()).out.match(/^ {2}Machine {6}/gm);
    await expect.poll(listed, { ...PATIENT, interval: 500 }).toHaveLength(3);
    await moveFromStopped(machines, client);

    for (const { document } of machines) await client.request(document.endpoint, "ping");
    await server.stop();
    for (const { document } of machines)
      expect(await client.request(document.endpoint, ...echo("without"))).toMatchObject({ status: 200 });
    const refused = await createWanderer(TOKEN).request(next(), "initialize", {});
    expect(refused).toMatchObject({ status: 503 });
    await machines[0]?.says(/what needs the store is refused until it is back: PostgreSQL/);
    await server.start();
    await expect
      .poll(async () => (await createWanderer(TOKEN).request(next(), "initialize", {})).status, PATIENT)
      .toBe(200);
    await machines[0]?.says(/the store is back/);
  });
});

type Place = ReturnType<typeof newMachine>;
type Wanderer = ReturnType<typeof createWanderer>;
interface Progress {
  done: number;
  broken: number;
  killed: number;
}

const CALLS_EACH = Math.ceil(CALLS / CLIENTS);

/** A machine whose clock is wrong by so much. */
function withClock(place: Place, wrong: number): Place {
  const shift = `const now = Date.now; Date.now = () => now() + ${wrong};`;
  const env = { ...place.env, NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(shift)}"` };
  return wrong === 0 ? place : { ...place, env };
}

/** Any balancer: the next machine for every request. */
function balance(machines: readonly UpProcess[]): () => string {
  let turn = 0;
  return () => {
    turn += 1;
    return machines[turn % machines.length]?.document.endpoint ?? "";
  };
}

async function makeCalls(client: Wanderer, who: number, next: () => string, progress: Progress): Promise<void> {
  for (let at = 0; at < CALLS_EACH; ) {
    const text = `client ${who} call ${at}`;
    const answer = await client.request(next(), ...echo(text)).catch(() => null);
    if (answer === null) {
      // A broken connection, as of a machine that was killed: the balancer has another one.
      progress.broken += 1;
      await shortly();
      continue;
    }
    expect(answer, JSON.stringify(answer)).toMatchObject({ status: 200, result: { content: [{ text }] } });
    at += 1;
    progress.done += 1;
  }
}

/** Kills one machine after the other and starts it again, as long as calls are made. */
async function killMachines(machines: UpProcess[], places: readonly Place[], progress: Progress): Promise<void> {
  const random = createRandom(SEED);
  const tell = (): void => {
    const { done, broken, killed } = progress;
    if (IS_SOAK) process.stdout.write(`${done} of ${CALLS} calls, ${killed} kills, ${broken} broken connections\n`);
  };
  if (IS_SOAK) process.stdout.write(`three machines, ${CLIENTS} clients, TOOLCRIB_KILL_SEED=${SEED}\n`);
  const isDone = (): boolean => progress.done >= CLIENTS * CALLS_EACH;
  while (KILL_EVERY > 0 ? !isDone() : progress.killed < KILLS) {
    const due = ((progress.killed + 1) * CALLS) / (KILLS + 1);
    const started = performance.now();
    while (!isDone() && (KILL_EVERY > 0 ? performance.now() - started < KILL_EVERY : progress.done < due))
      await shortly();
    const killed = Math.floor(random() * machines.length);
    await machines[killed]?.end("SIGKILL");
    machines[killed] = await startUpProcess(places[killed] as Place);
    progress.killed += 1;
    tell();
  }
}

/** A machine that stands still loses the call that waits on it, and starts nothing when it goes on (S3, M2). */
async function moveFromStopped(machines: readonly UpProcess[], client: Wanderer): Promise<void> {
  const [one, two, three] = machines as readonly [UpProcess, UpProcess, UpProcess];
  const started = async ({ document }: UpProcess): Promise<number> => {
    const { result } = await client.request(document.endpoint, "tools/call", { name: "it__seen", arguments: {} });
    return JSON.parse(result.content[0].text).started;
  };
  expect([await started(one), await started(two)]).toEqual([0, 0]);
  const asking = await client.send(one.document.endpoint, {
    ...{ id: "moves", method: "tools/call" },
    params: { name: "it__plain", arguments: {} },
  });
  const [begun] = await firstEvent(asking);
  const api = askInspector(three);
  await expect.poll(api.waiting, PATIENT).toMatchObject([{ tool: "it/plain" }]);
  one.child.kill("SIGSTOP");
  const before = (await api.waiting())[0]?.id;
  const resumed = client.open(two.document.endpoint, begun?.id ?? "");
  // Adopted as soon as the other machine has been silent for long enough, under a question of its own.
  const moved = async () => (await api.waiting()).filter(({ id }) => id !== before);
  await expect.poll(moved, PATIENT).toHaveLength(1);
  one.child.kill("SIGCONT");
  expect(await api.allow((await moved())[0]?.id ?? "")).toBeLessThan(300);
  const answers: StreamEvent[] = [];
  for await (const event of eventsOf(await resumed)) answers.push(event);
  expect(answers.at(-1)?.message).toMatchObject({ id: "moves", result: { content: [{ text: "plain" }] } });
  await expect.poll(api.waiting, PATIENT).toEqual([]);
  expect([await started(one), await started(two)]).toEqual([0, 1]);
}

async function firstEvent(response: Response): Promise<readonly StreamEvent[]> {
  for await (const event of eventsOf(response)) return [event];
  return [];
}

/** The inspector of one machine, as a program asks it. */
function askInspector({ document }: UpProcess) {
  const api = (path: string, init: RequestInit = {}) =>
    fetch(`${document.inspector}api/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    });
  return {
    waiting: async () =>
      (await (await api("approvals")).json()) as { id: string; tool: string; machine: string | null }[],
    allow: async (id: string) =>
      (await api(`approvals/${id}`, { method: "POST", body: JSON.stringify({ decision: "allow" }) })).status,
    overview: async () => (await (await api("overview")).json()) as { clients: readonly { label: string }[] },
  };
}

async function shareApprovals(machines: readonly UpProcess[], client: Wanderer): Promise<void> {
  const [one, two, three] = machines as readonly [UpProcess, UpProcess, UpProcess];
  const answer = client.request(one.document.endpoint, "tools/call", { name: "e__pid", arguments: {} });
  const { waiting, allow } = askInspector(two);
  await expect.poll(waiting, PATIENT).toMatchObject([{ tool: "e/pid" }]);
  const [approval] = await waiting();
  expect(approval?.machine).not.toBeNull();
  expect(await allow(approval?.id ?? "")).toBeLessThan(300);
  expect((await answer).result.content[0].text).toMatch(/^\d+$/);
  // A machine that has just started hears of the others' clients when it next looks.
  const labels = async () => (await askInspector(three).overview()).clients.map(({ label }) => label);
  await expect.poll(labels, PATIENT).toContain("wanderer");
}
