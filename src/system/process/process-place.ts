import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Where process numbers mean the same: on Linux one start of the machine, and one container of it. */
export function processPlace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
