import { parseInterval, type StoredSchedule } from "../../schedule.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";

/** Modes that a model may choose for unattended runs: none allows more than the configured one. */
export const SCHEDULE_MODES = ["plan", "dont-ask"] as const;

/** `manage_schedule`: prompts that run repeatedly while `toolcrib up` runs. */
export const manageSchedule: BuiltinHandler = async (args, _run, { schedules }) => {
  if (schedules === null) return fail("Nothing here keeps schedules.");
  const { action, id } = args;
  if (action === "list") {
    const stored = await schedules.list();
    return succeed(stored.length === 0 ? "There are no schedules." : stored.map(toLine).join("\n"));
  }
  if (action === "remove") {
    if (typeof id !== "string") return fail('"remove" needs the "id" of a schedule.');
    return (await schedules.remove(id)) ? succeed(`Schedule ${id} is removed.`) : fail(`There is no schedule ${id}.`);
  }
  const { cron, every, prompt, agent, mode } = args;
  const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
  const interval = text(every) === null ? null : parseInterval(String(every));
  if (text(every) !== null && interval === null)
    return fail('"every" is a number of minutes, hours or days: 30m, 2h, 1d.');
  const given = { cron: text(cron), every: interval, prompt: text(prompt) ?? "", agent: text(agent), model: null };
  const stored = await schedules.add({ ...given, mode: SCHEDULE_MODES.find((known) => known === mode) ?? null });
  return succeed(
    `Kept:\n${toLine(stored)}\nIt runs while "toolcrib up" does; what would be asked about then is denied.`,
  );
};

function toLine({ id, cron, every, prompt, next, last }: StoredSchedule): string {
  const when = cron ?? `every ${Math.round((every ?? 0) / 60_000)} minutes`;
  const due = next === null ? "never again" : new Date(next).toISOString();
  return `${id}: ${when}, next ${due}${last === null ? "" : `, last ${last.end ?? "running"}`}: ${prompt}`;
}
