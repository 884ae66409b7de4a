import { randomUUID } from "node:crypto";
import type { Stamps } from "../core/events/envelope.ts";
import { type Clock, SYSTEM_CLOCK } from "./time/clock.ts";

/** Time and randomness, which a session takes from its process. */
export interface Timing extends Stamps {
  /** For waiting and measuring; `today` gives the date. */
  readonly clock: Clock;
}

/** Everything that a session takes from its process. */
export interface Surroundings extends Timing {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export const OWN_TIMING: Timing = { clock: SYSTEM_CLOCK, today: () => Date.now(), newId: randomUUID };

export function ownSurroundings(): Surroundings {
  return { ...OWN_TIMING, env: process.env, cwd: process.cwd() };
}
