import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { foldJournal } from "../../src/core/events/fold-journal.ts";
import { openStoreAt } from "../../src/runtime/store/open-store.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { startBusySession } from "../support/busy-session.ts";
import { needs } from "../support/machine.ts";
import { letTimePass, untilHolds } from "../support/poll.ts";
import { createDatabase } from "../support/postgres-database.ts";
import { createRandom } from "../support/random.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

beforeAll(ensureBuilt);

const KILLS = Number(process.env.TOOLCRIB_KILLS ?? 10);
const LEASE = { beat: 200, lost: 400, takeOver: 600 };
const PATIENT = { beat: 3_600_000, lost: 3_600_000, takeOver: 3_600_000 };

const STORES = {
  SQLite: async (base: string) => `sqlite:${join(base, "sessions.db")}`,
  PostgreSQL: createDatabase,
} satisfies Record<string, (base: string) => Promise<string>>;

describe.each([
  ["SQLite", STORES.SQLite, {}],
  ["PostgreSQL", STORES.PostgreSQL, needs("postgres")],
] as const)("in %s", (name, makeUrl, options) => {
  async function prepare() {
    const { base } = tempWorkspace();
    const effects = join(base, "effects");
    writeFileSync(effects, "");
    const url = await makeUrl(base);
    const open = (lease = LEASE) => openStoreAt(url, { home: base, env: {}, workspace: base }, { lease });
    return { url, effects, open };
  }

  test("a process killed at any moment loses nothing acknowledged and runs nothing twice (S2, S5)", {
    ...options,
    timeout: 60_000 + KILLS * 5_000,
  }, async () => {
    const seed = Number(process.env.TOOLCRIB_KILL_SEED ?? 20_260_728);
    process.stdout.write(`${name}: killing ${KILLS} times, TOOLCRIB_KILL_SEED=${seed}\n`);
    const random = createRandom(seed);
    const { url, effects, open } = await prepare();
    const acknowledged = new Map<number, string>();
    for (let round = 0; round < KILLS; round += 1) {
      const busy = startBusySession(url, "one", effects);
      await busy.heard("holds");
      await letTimePass(random() * 300);
      // The last one works for long enough that all together have something to lose.
      const isLast = round === KILLS - 1;
      await untilHolds(() => !isLast || acknowledged.size + busy.acknowledged.size > KILLS);
      busy.child.kill("SIGKILL");
      await busy.ended;
      for (const [seq, id] of busy.acknowledged) acknowledged.set(seq, id);
      if ((round + 1) % 20 === 0) process.stdout.write(`${name}: ${round + 1} of ${KILLS} kills\n`);
    }
    const store = await open();
    const events = await store.read("one");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    for (const [at, { parent }] of events.entries()) expect(parent).toBe(at === 0 ? null : events[at - 1]?.id);
    expect(acknowledged.size).toBeGreaterThan(KILLS);
    for (const [seq, id] of acknowledged) expect(events[seq - 1]?.id).toBe(id);

    const ran = readFileSync(effects, "utf8").split("\n").slice(0, -1);
    expect(new Set(ran).size).toBe(ran.length);
    const ended = events.filter(({ type }) => type === "tool.execution_complete");
    const succeeded = ended
      .map(({ data }) => data as { toolCallId: string; success: boolean })
      .filter((d) => d.success);
    for (const { toolCallId } of succeeded) expect(ran).toContain(toolCallId);

    const state = foldJournal(events);
    const waiting = await store.questions({ sessionId: "one" });
    expect(waiting.map(({ id }) => id).sort()).toEqual([...state.questions.keys()].sort());
    for (const { id } of waiting) expect(await store.answer(id, "yes", "ada")).toBe("answered");
    await store.close();
  });

  test("a process that stood still while another took over stores nothing more (S3)", options, async () => {
    const { url, effects, open } = await prepare();
    // Times that no machine is too slow for: it stands still because it is stopped, and is taken over because of that.
    const busy = startBusySession(url, "one", effects, "7", "1000");
    await busy.heard("stands still");
    const patient = await open(PATIENT);
    await expect(patient.hold("one")).rejects.toMatchObject({ code: "store.held" });
    await patient.close();
    const store = await open({ ...PATIENT, takeOver: 100 });
    const journal = await vi.waitFor(() => store.hold("one"), { timeout: 30_000 });
    const before = await store.read("one");
    busy.child.kill("SIGCONT");
    await busy.ended;
    expect(busy.said).toContain("fenced");
    expect(busy.said.at(-1)).toBe("failed store.fenced");
    expect(await store.read("one")).toEqual(before);
    expect(readFileSync(effects, "utf8").split("\n")).toHaveLength(7);
    expect(journal.mayStart()).toBe(true);
    await store.close();
  });

  test("a session whose process was killed can be held at once by another on the same machine", options, async () => {
    const { url, effects, open } = await prepare();
    const busy = startBusySession(url, "one", effects);
    await busy.heard("holds");
    busy.child.kill("SIGKILL");
    await busy.ended;
    const store = await open();
    expect((await store.hold("one")).epoch).toBe(2);
    await store.close();
  });
});
