import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isAlive } from "../../system/process/is-alive.ts";
import { readVersion } from "../../system/version.ts";
import type { Machine } from "./back-end.ts";

/** This process as others see it. */
export function describeSelf(): Machine {
  const name = hostname();
  return { id: randomUUID(), name, version: readVersion(), place: placeOf(name), pid: process.pid };
}

/** Whether that process is known to have ended, so that nobody need wait until its lease does. */
export function isGoneHere(other: Machine, self: Machine): boolean {
  return other.place === self.place && !isAlive(other.pid);
}

/** Where process numbers mean the same: on Linux one start of the machine, and one container of it. */
function placeOf(name: string): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return name;
  }
}
