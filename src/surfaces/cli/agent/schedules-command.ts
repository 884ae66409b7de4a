import { parseInterval, type StoredSchedule } from "../../../sources/schedule.ts";
import { escapeLines, escapeText } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOverrides } from "../command-line/overrides.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { withBook } from "../stored/own-schedules.ts";
import { formatTable } from "../terminal/table.ts";
import { runScheduled } from "./run-scheduled.ts";

const ACTIONS = ["list", "add", "remove", "run"] as const;

/** `toolcrib schedules [list|add PROMPT|remove ID|run ID]`: prompts that `up` says again and again. */
export async function runSchedules(input: CommandInput): Promise<number> {
  const [word = "list", ...rest] = input.args.operands;
  const action = parseWord("the action", word, ACTIONS);
  if (action === "list") return list(input);
  const named = rest.join(" ").trim();
  if (named === "")
    throw usage(`toolcrib schedules ${action} needs ${action === "add" ? "a prompt" : "the ID of a schedule"}`);
  if (action === "add") return add(input, named);
  return action === "remove" ? remove(input, named) : runNow(input, named);
}

async function list(input: CommandInput): Promise<number> {
  const schedules = await withBook(input, (book) => book.list());
  printAnswer(input, { schedules: schedules.map(toDocument) }, () =>
    schedules.length === 0
      ? 'There are no schedules here; "toolcrib schedules add PROMPT --every 1h" adds one.\n'
      : format(schedules, input.io.columns),
  );
  return 0;
}

async function add(input: CommandInput, prompt: string): Promise<number> {
  const { args } = input;
  const { agent, mode, model } = readOverrides(args);
  const interval = args.value("every");
  const every = interval === null ? null : parseInterval(interval);
  if (interval !== null && every === null)
    throw usage(`--every takes 30m, 2h or 1d; found ${JSON.stringify(interval)}`);
  const { features, agents } = await loadAsked(input);
  if (agent !== null && !agents.has(agent.value)) throw usage(`there is no agent ${JSON.stringify(agent.value)} here`);
  const given = { cron: args.value("cron"), every, prompt, agent: agent?.value ?? null };
  const kept = await withBook(input, (book) =>
    book.add({ ...given, mode: mode?.value ?? null, model: model?.value ?? null }).catch((error: Error) => {
      throw usage(error.message);
    }),
  );
  const isOn = features.get("schedule")?.value === true;
  printAnswer(input, { ...toDocument(kept), runs: isOn }, () => {
    const advice = isOn ? "" : 'Nothing runs it yet: set features.schedule: true, and keep "toolcrib up" running.\n';
    return `${format([kept], input.io.columns)}${advice}`;
  });
  return 0;
}

async function remove(input: CommandInput, id: string): Promise<number> {
  if (!(await withBook(input, (book) => book.remove(id)))) throw unknown(id);
  printAnswer(input, { id, action: "removed" }, () => `${escapeText(id)} is removed.\n`);
  return 0;
}

/** At once and to its end, whether it is due or not. Status 1: something else than the model ended it. */
async function runNow(input: CommandInput, id: string): Promise<number> {
  const stop = new AbortController();
  const release = input.io.onInterrupt(async () => stop.abort("user_initiated"));
  try {
    const claimed = await withBook(input, async (book) => {
      if (!(await book.list()).some((one) => one.id === id)) throw unknown(id);
      return book.claimNow(id);
    });
    if (claimed === null) throw usage(`schedule ${id} still runs`);
    const { schedule, sessionId } = claimed;
    const ended = (end: string) => withBook(input, (book) => book.ended(id, sessionId, end));
    const end = await runScheduled(input, schedule, sessionId, stop.signal).catch(async (error: unknown) => {
      await ended(error instanceof Error ? error.message : String(error));
      throw error;
    });
    await ended(end.stopReason);
    printAnswer(input, { session: sessionId, ...end }, () => `${escapeLines(end.text)}\n`);
    return end.stopReason === "end" || end.stopReason === "terminal-tool" ? 0 : 1;
  } finally {
    release();
  }
}

function unknown(id: string): Error {
  return usage(`there is no schedule ${JSON.stringify(id)} here; "toolcrib schedules" lists them`);
}

function toDocument({ next, last, ...schedule }: StoredSchedule): object {
  return {
    ...schedule,
    next: next === null ? null : new Date(next).toISOString(),
    last: last === null ? null : { ...last, began: new Date(last.began).toISOString() },
  };
}

function format(schedules: readonly StoredSchedule[], width: number | null): string {
  const columns = ["ID", "WHEN", "NEXT", "LAST", "PROMPT"].map((heading) => ({
    heading,
    shrinks: heading === "PROMPT",
  }));
  const rows = schedules.map(({ id, cron, every, next, last, prompt }) => [
    id,
    cron ?? `every ${Math.round((every ?? 0) / 60_000)} min`,
    next === null ? "never" : new Date(next).toISOString().slice(0, 16).replace("T", " "),
    last === null ? "" : (last.end ?? "running"),
    prompt,
  ]);
  return `${formatTable(
    columns,
    rows.map((row) => row.map(escapeText)),
    width,
  ).join("\n")}\n`;
}
