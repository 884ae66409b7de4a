import type { KeptSchedule, Schedule } from "./schedule.ts";

/** The port through which a model keeps schedules. */
export interface SchedulePort {
  list(): Promise<readonly KeptSchedule[]>;
  /** Rejects with what is wrong about it. */
  add(schedule: Omit<Schedule, "id">): Promise<KeptSchedule>;
  remove(id: string): Promise<boolean>;
}
