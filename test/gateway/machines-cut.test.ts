import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { createDatabase } from "../support/postgres-database.ts";
import { type BalancedMachine, type BalancedMachines, connectPatient, startBalanced } from "./balanced-machines.ts";
import { textOf } from "./clients.ts";
import { createWanderer } from "./machines.ts";

const SERVER = new URL("../fixtures/working-server.cjs", import.meta.url).pathname;
const CONFIG = {
  mcpServers: { w: { command: process.execPath, args: [SERVER] } },
  permissions: { allow: ["w/work", "w/done", "w/seen"], ask: ["w/plain"] },
  gateway: { approvals: "inspector" },
  toolSearch: "off",
};
const PATIENT = { timeout: 30_000 };
const LONG = { timeout: 100_000 };

async function startThree(): Promise<BalancedMachines> {
  const balanced = await startBalanced(await createDatabase(), CONFIG);
  for (let at = 0; at < 3; at += 1) await balanced.start();
  return balanced;
}

/** What a tool says on one machine, past the balancer. */
async function ask({ url }: BalancedMachine, name: string): Promise<string> {
  const client = createWanderer();
  await client.initialize(url);
  return (await client.request(url, "tools/call", { name, arguments: {} })).result.content[0].text;
}

/** Whether a call waits at this machine. */
const holds = ({ crib }: BalancedMachine): boolean => crib.approvals.pending.some(({ machine }) => machine === null);

/** What waits on a machine that lives. */
const waiting = ({ machines }: BalancedMachines): readonly string[] =>
  machines.flatMap(({ crib }) => crib.approvals.pending.filter(({ machine }) => machine === null)).map(({ id }) => id);

describe("three machines on PostgreSQL behind a balancer that cuts", needs("postgres"), () => {
  test(
    "32 calls whose streams are cut, and cut again once resumed, all end right and ran once (M2)",
    LONG,
    async () => {
      const balanced = await startThree();
      const client = await connectPatient(balanced.url, "legacy");
      const texts = Array.from({ length: 32 }, (_, at) => `call ${at}`);
      const calls = texts.map(async (text) =>
        textOf(
          await client.callTool({ name: "w__work", arguments: { text } }, { onprogress: () => {}, timeout: 90_000 }),
        ),
      );
      // The third time they are back with an id too, though nothing was sent to them meanwhile.
      for (let cuts = 0; cuts < 2; cuts += 1) {
        await expect.poll(() => balanced.streams(), PATIENT).toBe(texts.length);
        balanced.cut();
      }
      await expect.poll(() => balanced.streams(), PATIENT).toBe(texts.length);
      for (const machine of balanced.machines) await ask(machine, "w__done");
      expect(await Promise.all(calls)).toEqual(texts);
      const ran = await Promise.all(
        balanced.machines.map(async (machine) => JSON.parse(await ask(machine, "w__seen"))),
      );
      for (const text of texts) expect(ran.map((seen) => seen[text] ?? 0).reduce((sum, one) => sum + one)).toBe(1);
    },
  );

  test.each([1, 2, 3])(
    "a call that waits for an approval survives %i rolling restarts (M2)",
    LONG,
    async (restarts) => {
      const balanced = await startThree();
      const client = await connectPatient(balanced.url, "legacy");
      const answer = client.callTool({ name: "w__plain", arguments: { text: "yes" } }, { timeout: 90_000 });
      await expect.poll(() => waiting(balanced), PATIENT).toHaveLength(1);
      for (let restart = 0; restart < restarts; restart += 1)
        for (const machine of [...balanced.machines]) {
          await balanced.endGently(machine);
          await balanced.start();
          await expect.poll(() => waiting(balanced), PATIENT).toHaveLength(1);
        }
      const [id = ""] = waiting(balanced);
      const [anybody] = balanced.machines;
      expect(await anybody?.crib.approvals.answer(id, { decision: "allow" })).toBe(true);
      expect(textOf(await answer)).toBe("yes");
      const ran = await Promise.all(
        balanced.machines.map(async (machine) => JSON.parse(await ask(machine, "w__seen"))),
      );
      expect(ran.map((seen) => seen.yes ?? 0).reduce((sum, one) => sum + one)).toBe(1);
    },
  );

  test(
    "a client of 2026-07-28 that waits for an approval is told to come back by a machine that ends gently (M2)",
    LONG,
    async () => {
      const balanced = await startThree();
      const client = await connectPatient(balanced.url, "modern");
      const answer = client.callTool({ name: "w__plain", arguments: { text: "yes" } }, { timeout: 90_000 });
      for (let restart = 0; restart < 3; restart += 1) {
        await expect.poll(() => waiting(balanced), PATIENT).toHaveLength(1);
        const holder = balanced.machines.find(holds);
        await balanced.start();
        if (holder !== undefined) await balanced.endGently(holder);
      }
      await expect.poll(() => waiting(balanced), PATIENT).toHaveLength(1);
      const [anybody] = balanced.machines;
      expect(await anybody?.crib.approvals.answer(waiting(balanced)[0] ?? "", { decision: "allow" })).toBe(true);
      expect(textOf(await answer)).toBe("yes");
      // With nobody to come back to, it is refused in words.
      const other = client.callTool({ name: "w__plain", arguments: { text: "no" } }, { timeout: 90_000 });
      await expect.poll(() => waiting(balanced), PATIENT).toHaveLength(1);
      const [last, ...others] = [...balanced.machines].sort((one) => (holds(one) ? -1 : 1));
      for (const machine of others) await balanced.endGently(machine);
      // It may have been with one of the others by then.
      await expect.poll(() => last !== undefined && holds(last), PATIENT).toBe(true);
      if (last !== undefined) await balanced.endGently(last);
      expect(textOf(await other)).toContain("shutting down");
    },
  );
});
