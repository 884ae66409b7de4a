import { readProcess } from "./process-group.ts";

/** Whether a process with that id runs, of any user. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  return readProcess(pid)?.state !== "Z";
}
