import type { Store } from "../../runtime/store/store.ts";
import { parseWord, usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { confirm } from "./confirm.ts";
import { toJson, toLines } from "./escape-text.ts";
import { countOf } from "./name-list.ts";
import { parseCount } from "./number-options.ts";
import { EXPORT_FORMATS, SESSION_ACTIONS } from "./options.ts";
import { findStored, withOwnStore } from "./own-store.ts";
import { printAnswer } from "./print-answer.ts";
import { summarize, summarizeEvents } from "./session-summary.ts";
import { toTimeline } from "./session-timeline.ts";
import { cutText } from "./text-width.ts";

/** `toolcrib sessions [list|show ID|export ID|delete ID|prune]`: the sessions of this workspace that are kept. */
export async function runSessions(input: CommandInput): Promise<number> {
  const [word = "list", id = null] = input.args.operands;
  const action = parseWord("the action", word, SESSION_ACTIONS);
  const takesId = action !== "list" && action !== "prune";
  if (takesId && id === null) throw usage(`toolcrib sessions ${action} needs the ID of a session`);
  if (!takesId && id !== null) throw usage(`toolcrib sessions ${action} has no use for ${JSON.stringify(id)}`);
  if (action !== "export" && input.args.value("format") !== null) throw usage("--format is for sessions export");
  if (action !== "list" && input.args.value("limit") !== null) throw usage("--limit is for sessions list");
  return withOwnStore(input, (store) => ACTIONS[action](input, store, id ?? ""));
}

type Action = (input: CommandInput, store: Store, id: string) => Promise<number>;

const ACTIONS: Readonly<Record<(typeof SESSION_ACTIONS)[number], Action>> = {
  list,
  show,
  export: exportOne,
  delete: deleteOne,
  prune,
};

const LISTED = 20;
const DAY = 86_400_000;
/** Days for which `prune` spares a session that nobody changes. */
const KEPT = 30;

async function list(input: CommandInput, store: Store): Promise<number> {
  const { io, args } = input;
  const limit = parseCount("--limit", args.value("limit"), 100_000) ?? LISTED;
  const found = await store.sessions({ limit });
  const sessions = await Promise.all(found.map((session) => summarize(store, session)));
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
  const events = await store.read(found.id);
  const timeline = toTimeline(events);
  const { formatTimeline } = await import("./session-text.ts");
  printAnswer(input, { session: summarizeEvents(found, events), timeline }, () =>
    formatTimeline(timeline, input.io.columns),
  );
  return 0;
}

async function exportOne({ io, args }: CommandInput, store: Store, id: string): Promise<number> {
  const format = parseWord("--format", args.value("format") ?? "jsonl", EXPORT_FORMATS);
  const found = await findStored(store, id);
  const events = await store.read(found.id);
  io.err("toolcrib: this is what was said and done as it was; secrets in it are not masked\n");
  if (format === "jsonl") for (const event of events) io.out(toJson(event, false));
  else {
    const { toMarkdown } = await import("./session-markdown.ts");
    io.out(toMarkdown(summarizeEvents(found, events), toTimeline(events)));
  }
  return 0;
}

async function deleteOne(input: CommandInput, store: Store, id: string): Promise<number> {
  const session = await summarize(store, await findStored(store, id));
  const about = `session ${session.id} (${JSON.stringify(cutText(session.prompt, 60))})`;
  if (!(await confirm(input, `Delete ${about}?`, [session.id]))) return 1;
  await store.delete(session.id);
  printAnswer(input, { deleted: session }, () => toLines([`Deleted: ${about}`]));
  return 0;
}

async function prune(input: CommandInput, store: Store): Promise<number> {
  const old = (await store.sessions()).filter(({ changed }) => changed < Date.now() - KEPT * DAY);
  const ids = old.map(({ id }) => id);
  const question = `Delete ${countOf(old.length, "session")} that nobody changed for ${KEPT} days?`;
  if (old.length > 0 && !(await confirm(input, question, ids))) return 1;
  const pruned = old.length === 0 ? 0 : await store.prune(KEPT * DAY);
  printAnswer(input, { pruned }, () => `Deleted ${countOf(pruned, "session")} that nobody changed for ${KEPT} days.\n`);
  return 0;
}
