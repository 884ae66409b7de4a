import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { isAlive } from "../../system/process/is-alive.ts";
import { processPlace } from "../../system/process/process-place.ts";
import { readVersion } from "../../system/version.ts";
import type { Machine } from "./back-end.ts";

/** This process as others see it. */
export function describeSelf(): Machine {
  const name = hostname();
  return { id: randomUUID(), name, version: readVersion(), place: processPlace(), pid: process.pid };
}

/** Whether that process is known to have ended, so that nobody need wait until its lease does. */
export function isGoneHere(other: Machine, self: Machine): boolean {
  return other.place === self.place && !isAlive(other.pid);
}
