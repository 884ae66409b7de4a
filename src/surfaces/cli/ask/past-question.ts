import { readWorldAt, type SessionPoint } from "../../../runtime/report/stored-world.ts";
import type { StoredSession } from "../../../runtime/store/store.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { OptionName } from "../command-line/options.ts";
import { findStored, withOwnStore } from "../stored/own-store.ts";
import type { ToolQuestion } from "./question.ts";

/** What has no say in what was true then. */
const IDLE = ["config", "world", "model", "mode", "include", "exclude", "client", "fresh", "no-start"] as const;

/** `--session ID`, with `--at` or without; null where neither is given. */
export async function loadPast(input: CommandInput): Promise<ToolQuestion | null> {
  const { args } = input;
  const id = args.value("session");
  if (id === null && args.has("at")) throw usage("--at needs --session ID");
  if (id === null) return null;
  const idle = IDLE.find((name: OptionName) => args.has(name));
  if (idle !== undefined) throw usage(`--${idle} has no effect beside --session, which tells what was`);
  return loadPastWorld(input, id, args.value("at"), args.value("agent"));
}

/** A session at some point, as a question that is answered already. */
export async function loadPastWorld(
  input: CommandInput,
  named: string,
  at: string | null,
  agent: string | null = null,
): Promise<ToolQuestion> {
  const { toolset, ...past } = await withOwnStore(input, async (store) => {
    const session = await findStored(store, named);
    const point = at === null ? null : parsePoint(at, session);
    if (point !== null && "seq" in point && point.seq > session.events)
      throw usage(`session ${session.id} has ${session.events} events, and no event ${point.seq}`);
    return readWorldAt(store, session, point, agent);
  });
  const { catalog, scene, notices, leftOut = [] } = toolset;
  const tools = catalog.entries.map(({ tool }) => tool);
  return { tools, scene, wireStyle: catalog.style, notices, leftOut, toolset, past };
}

function parsePoint(text: string, session: StoredSession): SessionPoint {
  if (/^\d+$/.test(text)) return { seq: Number(text) };
  const [, hours = null] = /^(\d\d:\d\d(?::\d\d)?)Z?$/.exec(text) ?? [];
  if (hours !== null) return lastTime(hours, session) ?? failPoint(text);
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return { time: time + lengthOf(text) };
  return failPoint(text);
}

function failPoint(text: string): never {
  const known = `the number or the time of an event, as "toolcrib sessions show" prints them, or a time such as 2026-01-31T12:00Z`;
  throw usage(`--at takes ${known}, not ${JSON.stringify(text)}`);
}

const DAY = 86_400_000;

/** A time without a day, as timelines have it: when it was that time last in the session. Null if there is no such time. */
function lastTime(hours: string, { created, changed }: StoredSession): SessionPoint | null {
  const day = new Date(changed).toISOString().slice(0, 10);
  const begin = Date.parse(`${day}T${hours}Z`);
  if (Number.isNaN(begin)) return null;
  const end = begin + lengthOf(hours);
  return { time: begin > changed && end - DAY >= created ? end - DAY : end };
}

/** A second, minute or day means the end of it: what happened in it has happened. */
function lengthOf(time: string): number {
  if (/\.\d/.test(time)) return 0;
  if (/\d:\d\d:\d\d/.test(time)) return 999;
  return time.includes(":") ? 59_999 : 86_399_999;
}
