import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createWanderer } from "../gateway/machines.ts";
import { ensureBuilt, runBuilt } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";
import { startPostgres } from "../support/postgres-server.mjs";
import { newMachine, type RunningUp, startUp } from "../support/running-up.ts";

const ECHO = new URL("../fixtures/echo-server.mjs", import.meta.url).pathname;
const TOKEN = "shared-token";
const CLIENTS = Number(process.env.TOOLCRIB_CLIENTS ?? 3);
const CALLS = Number(process.env.TOOLCRIB_CALLS ?? 240);
const KILLS = Number(process.env.TOOLCRIB_MACHINE_KILLS ?? 2);
const PATIENT = { timeout: 60_000 };

const configOf = (more: object): string =>
  JSON.stringify({
    mcpServers: { e: { command: process.execPath, args: [ECHO] } },
    permissions: { allow: ["e/echo"], ask: ["e/pid"] },
    gateway: { token: TOKEN, approvals: "inspector" },
    ...more,
  });
const echo = (text: string) => ["tools/call", { name: "e__echo", arguments: { text } }] as const;

beforeAll(ensureBuilt);

describe("one machine", () => {
  test("a client's session survives the end of its Toolcrib, gentle or not, whatever store the repository brings (M1, S6)", async () => {
    const machine = newMachine({ user: configOf({}), "toolcrib.yaml": "store: { url: 'sqlite:planted.db' }\n" });
    mkdirSync(join(machine.cwd, ".toolcrib"));
    const planted = ["planted.db", ".toolcrib/state.db"].map((name) => join(machine.cwd, name));
    for (const path of planted) writeFileSync(path, "theirs");
    const client = createWanderer(TOKEN);
    const first = await startUp(machine);
    await client.initialize(first.document.endpoint);
    await first.end("SIGKILL");
    await (await startUp(machine)).end("SIGINT");
    const again = await startUp(machine);
    const answer = await client.request(again.document.endpoint, ...echo("still here"));
    expect(answer).toMatchObject({ status: 200, result: { content: [{ text: "still here" }] } });
    for (const path of planted) expect(readFileSync(path, "utf8")).toBe("theirs");
  });
});

describe("three machines on one PostgreSQL behind a balancer", needs("postgres"), () => {
  test("answer every call rightly although machines are killed, share approvals, and go on without the database (M1, M2, S11)", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.dispose());
    const url = await server.createDatabase("machines");
    const places = Array.from({ length: 3 }, () => newMachine({ user: configOf({ store: { url } }) }));
    const machines: RunningUp[] = await Promise.all(places.map((place) => startUp(place)));
    let turn = 0;
    /** Any balancer: the next machine for every request. */
    const next = (): string => {
      turn += 1;
      return machines[turn % machines.length]?.document.endpoint ?? "";
    };
    const clients = Array.from({ length: CLIENTS }, () => createWanderer(TOKEN));
    for (const client of clients) await client.initialize(next());

    let [done, broken] = [0, 0];
    const work = clients.map(async (client, who) => {
      for (let at = 0; at < CALLS / CLIENTS; ) {
        const text = `client ${who} call ${at}`;
        const answer = await client.request(next(), ...echo(text)).catch(() => null);
        if (answer === null) {
          // A broken connection, as of a machine that was killed: the balancer has another one.
          broken += 1;
          await setTimeout(20);
          continue;
        }
        expect(answer).toMatchObject({ status: 200, result: { content: [{ text }] } });
        at += 1;
        done += 1;
      }
    });
    const kills = (async () => {
      for (let at = 0; at < KILLS; at += 1) {
        const due = ((at + 1) * CALLS) / (KILLS + 1);
        while (done < due) await setTimeout(10);
        const killed = at % machines.length;
        await machines[killed]?.end("SIGKILL");
        machines[killed] = await startUp(places[killed] as ReturnType<typeof newMachine>);
      }
    })();
    await Promise.all([...work, kills]);
    expect(done).toBe(CALLS);
    if (process.env.TOOLCRIB_CALLS) console.log(`${done} calls, ${KILLS} kills, ${broken} broken connections`);

    await shareApprovals(machines, clients[0] as ReturnType<typeof createWanderer>);
    const status = await runBuilt(["status"], { cwd: places[0]?.cwd ?? "", env: places[0]?.env ?? {} });
    expect(status.out.match(/^ {2}Machine {6}/gm)).toHaveLength(3);

    const [client = createWanderer()] = clients;
    for (const { document } of machines) await client.request(document.endpoint, "ping");
    await server.stop();
    for (const { document } of machines)
      expect(await client.request(document.endpoint, ...echo("without"))).toMatchObject({ status: 200 });
    const refused = await createWanderer(TOKEN).request(next(), "initialize", {});
    expect(refused).toMatchObject({ status: 503 });
    await server.start();
    await expect
      .poll(async () => (await createWanderer(TOKEN).request(next(), "initialize", {})).status, PATIENT)
      .toBe(200);
  });
});

async function shareApprovals(
  machines: readonly RunningUp[],
  client: ReturnType<typeof createWanderer>,
): Promise<void> {
  const [one, two, three] = machines.map(({ document }) => document);
  const answer = client.request(one?.endpoint ?? "", "tools/call", { name: "e__pid", arguments: {} });
  const api = (path: string, init: RequestInit = {}) =>
    fetch(`${two?.inspector}api/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    });
  const waiting = async () => (await (await api("approvals")).json()) as { id: string; machine: string | null }[];
  await expect.poll(waiting, PATIENT).toMatchObject([{ tool: "e__pid" }]);
  const [approval] = await waiting();
  expect(approval?.machine).not.toBeNull();
  const init = { method: "POST", body: JSON.stringify({ decision: "allow" }) };
  expect((await api(`approvals/${approval?.id}`, init)).status).toBeLessThan(300);
  expect((await answer).result.content[0].text).toMatch(/^\d+$/);
  const overview = (await (
    await fetch(`${three?.inspector}api/overview`, { headers: { authorization: `Bearer ${TOKEN}` } })
  ).json()) as {
    clients: readonly { label: string }[];
  };
  expect(overview.clients.map(({ label }) => label)).toContain("wanderer");
}
