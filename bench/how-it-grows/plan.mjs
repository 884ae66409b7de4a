import { toBytes, toCount, toNumber, toTime } from "./amounts.mjs";

/**
 * @typedef {import("./curve.mjs").AllMeasured} AllMeasured
 * @typedef {import("./curve.mjs").MeasuredCurve} MeasuredCurve
 * @typedef {import("./curve.mjs").Point} Point
 * @typedef {Readonly<Record<keyof typeof ASSUMED, number>>} Assumptions
 */

/** What is planned for, unless somebody says otherwise: its name, how much, and what it is. */
const ASSUMED = /** @type {const} */ ({
  clients: [1, "clients of a person that are connected all day"],
  calls: [30, "calls of a person in the busiest hour"],
  hours: [8, "such hours in a day"],
  sessions: [6, "sessions that a person's clients open in a day"],
  peak: [3, "times as many of them in the busiest hour as in the others"],
  changes: [6, "changes of some server's list in an hour"],
  runs: [2, "agents of a person that work in a day, with 12 calls each, in sessions that are stored"],
  free: [0.5, "share of each processor that stays free"],
});
const PEOPLE = [100, 1_000, 10_000];
const HOUR = 3_600;
/** The sizes of a curve from the first machine on. */
const MOST_MACHINES = 64;

/** Whether everything was measured that a plan needs. @param {AllMeasured} all */
export const canPlan = ({ agents, clients, machines }) => [agents, clients, machines].every((one) => one !== undefined);

/**
 * `calls=60 people=500` and the like.
 * @param {readonly string[]} words
 */
export function readAssumptions(words) {
  const given = words.map((word) => {
    const [, name = "", value = ""] = /^([a-z]+)=([\d.]+)$/.exec(word) ?? [];
    if (name !== "people" && !Object.hasOwn(ASSUMED, name))
      throw new Error(`${word} is no assumption; there are people=, ${Object.keys(ASSUMED).join("=, ")}=`);
    return /** @type {const} */ ([name, Number(value)]);
  });
  const { people, ...others } = Object.fromEntries(given);
  const usual = Object.fromEntries(Object.entries(ASSUMED).map(([name, [value]]) => [name, value]));
  return {
    people: people === undefined ? PEOPLE : [people],
    assumptions: /** @type {Assumptions} */ ({ ...usual, ...others }),
  };
}

/** The planning table. @param {AllMeasured} all @param {ReturnType<typeof readAssumptions>} given */
export function describePlan(all, { people, assumptions }) {
  const plans = people.map((many) => planFor(all, many, assumptions));
  const rows = Object.keys(plans[0] ?? {}).map(
    (name) => `| ${name} | ${plans.map((plan) => plan[name]).join(" | ")} |`,
  );
  const assumed = Object.entries(ASSUMED).map(([name, [, what]]) => {
    const value = assumptions[/** @type {keyof typeof ASSUMED} */ (name)];
    return `- \`${name}=${value}\`: ${what}`;
  });
  return [
    ...[`| people | ${people.map(toCount).join(" | ")} |`, `|---|${people.map(() => "---").join("|")}|`, ...rows],
    ...["", "Assumed, and to be changed:", "", ...assumed],
  ].join("\n");
}

/** What one machine holds, and what one more of them is. @param {AllMeasured} all */
export function describeOne({ clients, machines }) {
  if (clients === undefined || machines === undefined) return "";
  const most = clients.points.at(-1);
  const [call, wake] = [most?.cpu.call ?? Number.NaN, most?.cpu.wake ?? Number.NaN];
  const pg = (line(machines, "pg idle", 8) - line(machines, "pg idle", 1)) / 7;
  return [
    "| | |",
    "|---|---|",
    `| one machine, clients that are connected | ${toCount(most?.size ?? 0)} in ${toBytes(most?.memory ?? 0)} of memory (measured; as many as one machine takes unless told otherwise) |`,
    `| one core of it, calls a second of clients that are awake | ${toRound(1_000 / call)} |`,
    `| one core of it, calls a second of clients that were silent | ${toRound(1_000 / wake)} |`,
    `| one core of it, clients that open a session in a second | ${toRound(1_000 / line(machines, "open", 1))} |`,
    `| a second machine adds | as much again, and one of the two may fail |`,
    `| and needs of PostgreSQL | ${connectionsOf(machines)} connections and ${toTime(pg)} of CPU a second when nothing happens |`,
  ].join("\n");
}

/** @param {AllMeasured} all @param {number} people @param {Assumptions} assumed @returns {Readonly<Record<string, string>>} */
function planFor({ agents, clients, machines }, people, assumed) {
  if (agents === undefined || clients === undefined || machines === undefined) return {};
  const connected = people * assumed.clients;
  const callsPerSecond = (people * assumed.calls) / HOUR;
  const sessions = people * assumed.sessions;
  const opened = (sessions * assumed.peak) / (assumed.hours - 1 + assumed.peak) / HOUR;
  const holds = clients.points.at(-1)?.size ?? 1;
  const busyOf = (/** @type {number} */ many) => {
    const each = connected / many;
    const told = (assumed.changes / HOUR) * line(clients, "tell", each);
    const worked = callsPerSecond * line(clients, "wake", each) + opened * line(machines, "open", many);
    return (worked / many + told + line(clients, "idle", each)) / 1_000;
  };
  let needed = 1;
  while (needed < MOST_MACHINES && (busyOf(needed) > 1 - assumed.free || connected / needed > holds)) needed += 1;
  const started = needed + 1;
  const database = opened * line(machines, "pg open", started) + line(machines, "pg idle", started);
  const events = people * assumed.runs * count(agents, "events");
  const text = people * assumed.runs * count(agents, "text");
  const busiest = machines.points.at(-1);
  return {
    "calls a second in the busiest hour": toNumber(callsPerSecond),
    "machines, one of which may fail": toCount(started),
    "cores of all that work, on average in the busiest hour": toNumber(busyOf(needed) * needed),
    "memory of each machine": toBytes(memory(clients, connected / needed)),
    "log on the disk in a day": toBytes(people * assumed.calls * assumed.hours * count(clients, "log")),
    "PostgreSQL: cores in the busiest hour": toNumber(database / 1_000),
    "PostgreSQL: connections": toCount(started * connectionsOf(machines)),
    "PostgreSQL: round trips a second in the busiest hour": toNumber(
      opened * count(machines, "joinTrips") + started * count(machines, "idleTrips"),
    ),
    "PostgreSQL: rows of sessions and events in a day": toCount(sessions + people * assumed.runs + events),
    "PostgreSQL: bytes that they take": toBytes(sessions * (busiest?.counts?.session ?? 0) + text),
  };
}

/** The most that any of them had. @param {MeasuredCurve} machines */
const connectionsOf = ({ points }) => Math.ceil(Math.max(...points.map(({ counts = {} }) => counts.connections ?? 0)));

/** CPU milliseconds at a size between those that were measured, or at the nearest of them. @param {MeasuredCurve} curve @param {string} name @param {number} size */
const line = (curve, name, size) => between(curve, size, ({ cpu }) => cpu[name] ?? Number.NaN);

/** @param {MeasuredCurve} curve @param {number} size */
const memory = (curve, size) => between(curve, size, ({ memory: bytes }) => bytes ?? Number.NaN);

/** With the largest size. @param {MeasuredCurve} curve @param {string} name */
const count = ({ points }, name) => points.at(-1)?.counts?.[name] ?? Number.NaN;

/** Along a straight line from one measured point to the next. @param {MeasuredCurve} curve @param {number} size @param {(point: Point) => number} read */
function between({ points }, size, read) {
  const after = points.findIndex((point) => point.size >= size);
  const [low, high] = [points[Math.max(0, after - 1)], points.at(after)];
  if (low === undefined || high === undefined) return Number.NaN;
  if (after <= 0) return read(high);
  const share = (size - low.size) / (high.size - low.size);
  return read(low) + share * (read(high) - read(low));
}

/** Two digits that count. @param {number} value */
const toRound = (value) => toCount(Number(value.toPrecision(2)));
