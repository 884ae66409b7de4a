import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Processes that were started by a command in that home, and still run. */
export function leftBehind(home: string): readonly string[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(join("/proc", pid, "environ"), "utf8").includes(`HOME=${home}\0`);
      } catch {
        return false;
      }
    });
}
