import type { Schedule, StoredSchedule } from "./schedule.ts";

/** The port through which a model manages schedules. */
export interface SchedulePort {
  list(): Promise<readonly StoredSchedule[]>;
  /** Rejects with what is wrong with the schedule. */
  add(schedule: Omit<Schedule, "id">): Promise<StoredSchedule>;
  remove(id: string): Promise<boolean>;
}
