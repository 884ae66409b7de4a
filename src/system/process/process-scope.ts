import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The scope in which process ids are unique: on Linux one boot of the machine, and one container on it. */
export function processScope(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
