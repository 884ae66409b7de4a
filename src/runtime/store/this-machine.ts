import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { isAlive } from "../../system/process/is-alive.ts";
import { processScope } from "../../system/process/process-scope.ts";
import { readVersion } from "../../system/version.ts";
import type { Machine } from "./back-end.ts";

/** This process as other processes see it. */
export function describeSelf(): Machine {
  const name = hostname();
  return { id: randomUUID(), name, version: readVersion(), place: processScope(), pid: process.pid };
}

/** Whether that process is known to have ended, so that nobody needs to wait for its lease to expire. */
export function isGoneHere(other: Machine, self: Machine): boolean {
  return other.place === self.place && !isAlive(other.pid);
}
