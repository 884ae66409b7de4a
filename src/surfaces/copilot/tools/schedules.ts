import { homeFolder } from "../../../config/layers/home-folder.ts";
import { createScheduleBook, type ScheduleBook } from "../../../runtime/agents/schedule-book.ts";
import { reachStore } from "../../../runtime/session/stored/session-journal.ts";
import type { StoredSchedule } from "../../../sources/schedule.ts";
import type { SchedulePort } from "../../../sources/schedule-port.ts";
import type { SessionCore } from "../state/session-core.ts";
import { dropUndefined, type Json } from "../wire/wire-values.ts";
import type { ServerState } from "./servers.ts";

/** The schedules of the session's workspace, where `toolcrib up` looks for what is due; the store is opened for each call. */
export function createSchedules({ server: { around } }: SessionCore, servers: ServerState): SchedulePort {
  const withBook = async <T>(work: (book: ScheduleBook) => Promise<T>): Promise<T> => {
    const { project } = servers;
    if (project === null) throw new Error("the session is not open yet");
    const { workspace } = project.trust;
    const place = { home: homeFolder(around.env), workspace, surroundings: around };
    const { store, close } = await reachStore(project.store.url.value, place);
    try {
      return await work(createScheduleBook(store, { ...around, project: workspace }));
    } finally {
      await close();
    }
  };
  return {
    list: () => withBook((book) => book.list()),
    add: (schedule) => withBook((book) => book.add(schedule)),
    remove: (id) => withBook((book) => book.remove(id)),
  };
}

/** Whether the app or files want them; the app decides. */
export function hasSchedules({ options }: SessionCore, { project }: ServerState): boolean {
  return options.manageScheduleEnabled ?? project?.features.get("schedule")?.value === true;
}

/** As clients know them: their ids are numbers, and ours are such numbers in hexadecimal. */
export function toScheduleEntry({ id, every, cron, prompt, next }: StoredSchedule): Json {
  const nextRunAt = next === null ? "" : new Date(next).toISOString();
  return dropUndefined({
    ...{ id: Number.parseInt(id, 16), prompt, recurring: true, nextRunAt },
    ...{ intervalMs: every ?? undefined, cron: cron ?? undefined },
  });
}
