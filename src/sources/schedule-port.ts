import type { KeptSchedule, Schedule } from "./schedule.ts";

/** The port through which a model manages schedules. */
export interface SchedulePort {
  list(): Promise<readonly KeptSchedule[]>;
  /** Rejects with what is wrong with the schedule. */
  add(schedule: Omit<Schedule, "id">): Promise<KeptSchedule>;
  remove(id: string): Promise<boolean>;
}
