// Clients of one gateway, each with a session of its own. Arguments: the port, the tokens as JSON, and how many
// share each. Told `{ kind, seconds }`, those of a kind call for so long, and the parent is told how long each call took.
import { setTimeout as pass } from "node:timers/promises";
import { openRawSession } from "./raw-session.mjs";

const [port = "", tokens = "[]", each = "1"] = process.argv.slice(2);
/** Calls a second of all modest clients together; each has its turn. */
const PACE = 150;
/** Calls that a greedy client has open at once. */
const GRASP = 32;
const LARGE = 10_000_000;

/** @type {Awaited<ReturnType<typeof openRawSession>>[]} */
const sessions = [];
for (const token of JSON.parse(tokens))
  for (let left = Number(each); left > 0; left--) sessions.push(await openRawSession(Number(port), token));
await sessions[0]?.until("large__much");

/** @param {(typeof sessions)[number]} session @param {string} name @param {object} args @param {string} expected */
async function call(session, name, args, expected) {
  const start = performance.now();
  const text = await session.post("tools/call", { name, arguments: args });
  if (!text.includes(expected)) throw new Error(`${name}: ${text.slice(0, 300)}`);
  return performance.now() - start;
}

let said = 0;
/** @param {(typeof sessions)[number]} session */
const say = (session) => call(session, "quick__say", { text: `s${++said}` }, `s${said}`);

/** @type {Record<string, (end: number) => Promise<number[]>>} milliseconds of each call */
const KINDS = {
  async modest(end) {
    /** @type {Promise<number>[]} */
    const times = [];
    const start = performance.now();
    for (let at = 0; performance.now() < end; at++) {
      await pass(Math.max(0, start + (at * 1_000) / PACE - performance.now()));
      const session = sessions[at % sessions.length];
      if (session !== undefined) times.push(say(session));
    }
    return Promise.all(times);
  },
  greedy: (end) => callAll(GRASP, (session) => say(session), end),
  slow: (end) => callAll(GRASP, (session) => call(session, "slow__wait", { time: 1_000 }, "waited"), end),
  large: async (end) => {
    const times = [];
    for (const [session] = sessions; session !== undefined && performance.now() < end; ) {
      times.push(await call(session, "large__much", { bytes: LARGE }, "A line of a long answer"));
      await pass(1_000);
    }
    return times;
  },
};

/**
 * @param {number} many at once of every client
 * @param {(session: (typeof sessions)[number]) => Promise<number>} work
 * @param {number} end
 */
async function callAll(many, work, end) {
  /** @type {number[]} */
  const times = [];
  const go = async (/** @type {(typeof sessions)[number]} */ session) => {
    while (performance.now() < end) times.push(await work(session));
  };
  await Promise.all(sessions.flatMap((session) => Array.from({ length: many }, () => go(session))));
  return times;
}

process.on("disconnect", () => process.exit());
process.on("message", async (/** @type {{ kind: string, seconds: number }} */ { kind, seconds }) => {
  process.send?.((await KINDS[kind]?.(performance.now() + seconds * 1_000)) ?? []);
});
process.send?.("all there");
