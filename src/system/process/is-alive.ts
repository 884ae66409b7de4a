import { readProcess } from "./process-group.ts";

/** Whether a process with that id runs, of whichever user. One that has ended and that nobody has asked after does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  return readProcess(pid)?.state !== "Z";
}
