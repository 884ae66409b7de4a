import { join } from "node:path";
import { cpuOf, heldBytes } from "../how-it-grows/count.mjs";
import { ownFolder } from "../how-it-grows/tidy.mjs";
import { median } from "../measure.mjs";

/**
 * @typedef {import("../../dist/runtime/store/store.js").Store} Store
 * @typedef {import("../../dist/core/events/envelope.js").StoredEvent} StoredEvent
 */

const ID = "measured";
/** Events after which a conversation was shortened, where it is. */
const SHORTENED = 500;
const APPENDED = 1_000;
const ROUNDS = 3;
const tools = [{ name: "find", parameters: { type: "object", properties: { query: { type: "string" } } } }];

/** @type {import("../how-it-grows/curve.mjs").Curve} */
export const curve = {
  name: "events",
  title: "Events of one session",
  unit: "events",
  what: "Turns with three calls of a tool each, some twenty events a turn, of one session in SQLite.",
  sizes: [100, 1_000, 10_000, 100_000],
  quick: 10_000,
  rounds: 1,
  lines: {
    append: { what: "one more event, until it is stored", limit: 0.3 },
    resume: { what: "`resumeSession` where the model still reads all that was said", limit: 1.05 },
    shortened: { what: "`resumeSession` where the conversation was shortened every 500 events", limit: 0.3 },
  },
  memory: { what: "what a session keeps whose model still reads all that was said", limit: 1.05 },
  async measure(size) {
    const folder = ownFolder();
    const turn = await recordTurn();
    const whole = await measureSession(join(folder, "whole.db"), turn, { size, isShortened: false });
    const { resume } = await measureSession(join(folder, "shortened.db"), turn, { size, isShortened: true });
    return { cpu: { append: whole.append, resume: whole.resume, shortened: resume }, memory: whole.memory };
  },
};

/** The events of a turn as a session records them. @returns {Promise<readonly StoredEvent[]>} */
async function recordTurn() {
  const { createSession, defineTool, openStore, scriptedModel } = await import("../../dist/index.js");
  const store = await openStore("memory:");
  const usage = { input: 100, output: 20 };
  const calls = ["one", "two", "three"].map((query) => ({ tool: "find", arguments: { query } }));
  const text = "All three are there, and each of them is described in the file beside it. ".repeat(4);
  const session = await createSession({
    ...{ store, sessionId: ID, workspace: null, permissions: { allow: ["find"] } },
    tools: tools.map(({ name, parameters }) =>
      defineTool(name, { description: "Finds", parameters, handler: async () => "found ".repeat(100) }),
    ),
    modelClient: scriptedModel({
      replies: [
        { text: "I look.", calls, usage },
        { text, usage },
      ],
    }),
  });
  await session.run("Look three times, and then say what is there.");
  await session.close();
  const events = await store.read(ID);
  return events.slice(events.findIndex(({ type }) => type === "user.message"));
}

/** @param {string} path @param {readonly StoredEvent[]} turn @param {{ size: number, isShortened: boolean }} how */
async function measureSession(path, turn, { size, isShortened }) {
  const { createSession, openStore, resumeSession } = await import("../../dist/index.js");
  const store = await openStore(`sqlite:${path}`);
  await (await createSession({ store, sessionId: ID, workspace: null })).close();
  const append = await fill(store, turn, size, isShortened);
  const resumed = () => resumeSession(ID, { store, workspace: null });
  const costs = [];
  for (let round = -1; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    const session = await resumed();
    const { user, system } = process.cpuUsage(start);
    await session.close();
    if (round >= 0) costs.push((user + system) / 1000);
  }
  const before = await heldBytes();
  const session = await resumed();
  const memory = (await heldBytes()) - before;
  await session.close();
  await store.close();
  return { append, resume: median(costs), memory };
}

/**
 * Records turns as a session does, until there are so many events; returns what one more event costs then.
 * @param {Store} store @param {readonly StoredEvent[]} turn @param {number} size @param {boolean} isShortened
 */
async function fill(store, turn, size, isShortened) {
  const { createRecorder } = await import("../../dist/runtime/store/recorder.js");
  const { readState, withSnapshots } = await import("../../dist/runtime/session/stored/journal-snapshots.js");
  const { SYSTEM_CLOCK } = await import("../../dist/system/time/clock.js");
  const journal = await store.hold(ID);
  const { state } = await readState(store, journal);
  const { recorder } = withSnapshots(createRecorder(journal, SYSTEM_CLOCK), journal, state);
  let { seq, last } = journal.end;
  const record = (/** @type {Pick<StoredEvent, "type" | "data">} */ { type, data }, /** @type {number} */ turns) => {
    seq += 1;
    // Every turn has calls of its own.
    const own = JSON.parse(JSON.stringify(data).replaceAll(/("(?:toolCallId|id|messageId|turnId)":")/g, `$1${turns}-`));
    const event = { id: `event-${seq}`, seq, at: 1_700_000_000_000 + seq, parent: last, agent: null, type, data: own };
    last = event.id;
    recorder.record(event);
  };
  const recordNext = () => {
    const at = seq % turn.length;
    const event = turn[at];
    if (isShortened && seq % SHORTENED === 0)
      record({ type: "session.compaction_complete", data: shortenedAt(seq) }, seq);
    else if (event !== undefined) record(event, seq - at);
  };
  while (seq < size) {
    for (let some = 0; some < 200 && seq < size; some++) recordNext();
    await recorder.stored();
  }
  const cost = isShortened
    ? 0
    : await cpuOf(
        () => {
          recordNext();
          return recorder.stored();
        },
        { rounds: ROUNDS, times: APPENDED, warmUp: 0 },
      );
  await recorder.close();
  return cost;
}

/** What the model reads begins a few turns before. @param {number} seq */
const shortenedAt = (seq) => ({
  ...{ success: true, trigger: "threshold", error: null },
  ...{ summary: "They looked three times, again and again.", keptFrom: Math.max(1, seq - 40) },
});
