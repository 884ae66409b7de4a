import type { StoredEvent } from "../../../core/events/envelope.ts";
import { EXPORT_FORMATS } from "../../../runtime/report/session-export.ts";
import { summarize, summarizeAll, summarizeEvents } from "../../../runtime/report/session-summary.ts";
import { toTimeline } from "../../../runtime/report/session-timeline.ts";
import { findEnd } from "../../../runtime/session/stored/session-end.ts";
import type { Store, StoredSession } from "../../../runtime/store/store.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { parseCount } from "../command-line/number-options.ts";
import { SESSION_ACTIONS } from "../command-line/options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { countText } from "../terminal/name-list.ts";
import { cutText } from "../terminal/text-width.ts";
import { formatEvents } from "./export-events.ts";
import { findStored, scopeOf, type WorkspaceStore, withOwnStore } from "./own-store.ts";

/** `toolcrib sessions [list|show ID|export ID|delete ID|prune]`: the sessions of this workspace that are kept. */
export async function runSessions(input: CommandInput): Promise<number> {
  const [word = "list", id = null] = input.args.operands;
  const action = parseWord("the action", word, SESSION_ACTIONS);
  const takesId = action !== "list" && action !== "prune";
  if (takesId && id === null) throw usage(`toolcrib sessions ${action} needs the ID of a session`);
  if (!takesId && id !== null) throw usage(`toolcrib sessions ${action} has no use for ${JSON.stringify(id)}`);
  if (action !== "export" && input.args.value("format") !== null) throw usage("--format is for sessions export");
  if (action !== "list" && input.args.value("limit") !== null) throw usage("--limit is for sessions list");
  return withOwnStore(input, (store, kept) => ACTIONS[action](input, store, id ?? "", kept));
}

type Action = (input: CommandInput, store: Store, id: string, kept: WorkspaceStore) => Promise<number>;

const ACTIONS: Readonly<Record<(typeof SESSION_ACTIONS)[number], Action>> = {
  list,
  show,
  export: exportOne,
  delete: deleteOne,
  prune,
};

const LISTED = 20;
const DAY = 86_400_000;

async function list(input: CommandInput, store: Store): Promise<number> {
  const { io, args } = input;
  const limit = parseCount("--limit", args.value("limit"), 100_000) ?? LISTED;
  const found = await store.sessions({ limit });
  const sessions = await summarizeAll(store, found);
  const { formatSessions } = await import("./session-text.ts");
  printAnswer(input, { sessions }, () =>
    sessions.length === 0
      ? 'No sessions of this workspace are kept; "toolcrib run --keep" keeps one.\n'
      : formatSessions(sessions, io.columns),
  );
  return 0;
}

async function show(input: CommandInput, store: Store, id: string): Promise<number> {
  const found = await findStored(store, id);
  const events = await readAll(input, store, found);
  const timeline = toTimeline(events);
  const end = await findEnd(store, found, events);
  const { formatEnd, formatTimeline } = await import("./session-text.ts");
  printAnswer(
    input,
    { session: summarizeEvents(found, events), timeline, end },
    () => formatTimeline(timeline, input.io.columns) + formatEnd(end, found.id, input.io.columns),
  );
  return 0;
}

async function exportOne(input: CommandInput, store: Store, id: string, { config }: WorkspaceStore): Promise<number> {
  const format = parseWord("--format", input.args.value("format") ?? "jsonl", EXPORT_FORMATS);
  const found = await findStored(store, id);
  input.io.out(formatEvents(format, found.id, await readAll(input, store, found), config));
  return 0;
}

/** Events that are read at once; for more, progress is shown. */
const AT_ONCE = 5_000;

async function readAll({ io }: CommandInput, store: Store, session: StoredSession): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  while (all.length < session.events) {
    const some = await store.read(session.id, { after: all.length, limit: AT_ONCE });
    if (some.length === 0) break;
    for (const event of some) all.push(event);
    if (io.errIsTTY && session.events > AT_ONCE) io.err(`\r${all.length} of ${session.events} events`);
  }
  if (io.errIsTTY && session.events > AT_ONCE) io.err("\n");
  return all;
}

async function deleteOne(input: CommandInput, store: Store, id: string): Promise<number> {
  const session = await summarize(store, await findStored(store, id));
  const about = `session ${session.id} (${JSON.stringify(cutText(session.prompt, 60))})`;
  if (!(await confirm(input, `Delete ${about}?`, [session.id]))) return 1;
  await store.delete(session.id);
  printAnswer(input, { deleted: session }, () => writeLines([`Deleted: ${about}`]));
  return 0;
}

async function prune(input: CommandInput, store: Store, _id: string, kept: WorkspaceStore): Promise<number> {
  const days = kept.setting.keep.value;
  const scope = scopeOf(kept);
  const old = (await store.sessions()).filter(({ changed }) => changed < Date.now() - days * DAY);
  const since = `that nobody changed for ${countText(days, "day")}`;
  const ids = old.map(({ id }) => id);
  if (old.length > 0 && !(await confirm(input, `Delete ${countText(old.length, "session")} ${since}?`, ids))) return 1;
  let pruned = 0;
  for (const id of ids) {
    // One that somebody goes on with meanwhile stays.
    if (await store.delete(id).catch(() => false)) pruned += 1;
    if (input.io.errIsTTY && ids.length > 100) input.io.err(`\r${pruned} of ${ids.length} sessions`);
  }
  if (input.io.errIsTTY && ids.length > 100) input.io.err("\n");
  await store.prune(days * DAY, scope);
  printAnswer(input, { pruned }, () => `Deleted ${countText(pruned, "session")} ${since}.\n`);
  return 0;
}
