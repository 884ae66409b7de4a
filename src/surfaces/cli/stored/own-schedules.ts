import { createScheduleBook, type ScheduleBook } from "../../../runtime/agents/schedule-book.ts";
import type { Store } from "../../../runtime/store/store.ts";
import type { SchedulePort } from "../../../sources/schedule-port.ts";
import type { CommandInput } from "../command-line/command.ts";
import { type WorkspaceStore, withOwnStore } from "./own-store.ts";

/** The schedules of this workspace, in the store that its sessions are kept in. */
export function toBook(store: Store, { workspace, surroundings }: WorkspaceStore): ScheduleBook {
  return createScheduleBook(store, { project: workspace, today: surroundings.today, newId: surroundings.newId });
}

export function withBook<T>(input: CommandInput, work: (book: ScheduleBook) => Promise<T>): Promise<T> {
  return withOwnStore(input, (store, kept) => work(toBook(store, kept)));
}

/** The same for a model; the store is opened for each call. */
export function toSchedulePort(input: CommandInput): SchedulePort {
  return {
    list: () => withBook(input, (book) => book.list()),
    add: (schedule) => withBook(input, (book) => book.add(schedule)),
    remove: (id) => withBook(input, (book) => book.remove(id)),
  };
}
