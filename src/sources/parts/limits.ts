import type { BackoffLimits } from "../../system/time/backoff.ts";

/** What bounds the cost of one program that brings tools; times in milliseconds. */
export interface ProgramLimits extends BackoffLimits {
  /** From the start of a process or connection until its tools are listed. */
  readonly startTimeout: number;
  /** How long a call waits for a program that comes back. */
  readonly callWait: number;
  /** Between SIGTERM and SIGKILL. */
  readonly grace: number;
  /** The largest single message; a larger answer fails its call. */
  readonly messageBytes: number;
  /** How much of one too large message is read and thrown away before the program is cut. */
  readonly skippedBytes: number;
  readonly listTools: number;
  /** Lines that are no message or belong to no call: this many within `badLineWindow` cut the program. */
  readonly badLines: number;
  readonly badLineWindow: number;
  /** Messages that nobody asked for: this many at once, and `floodRate` a second in the long run. */
  readonly floodBurst: number;
  readonly floodRate: number;
  /** A connection that lived this long starts the backoff anew when it breaks. */
  readonly stableAfter: number;
  /** Between the starts of two refreshes. */
  readonly refreshInterval: number;
}

export const MIB = 1024 * 1024;

export const PROGRAM_LIMITS: ProgramLimits = {
  startTimeout: 10_000,
  callWait: 10_000,
  grace: 2_000,
  messageBytes: 10 * MIB,
  skippedBytes: 256 * MIB,
  listTools: 20_000,
  badLines: 100,
  badLineWindow: 10_000,
  floodBurst: 10_000,
  floodRate: 1_000,
  backoffFirst: 250,
  backoffMost: 30_000,
  stableAfter: 10_000,
  refreshInterval: 500,
};
