import type { FrameCaps } from "../../system/rpc/framing.ts";
import type { GuardLimits } from "../../system/rpc/inbound-guard.ts";
import type { BackoffLimits } from "../../system/time/backoff.ts";

/** Bounds for one program that brings tools; times in milliseconds. */
export interface ProgramLimits extends BackoffLimits, FrameCaps, GuardLimits {
  /** From the start of a process or connection until its tools are listed. */
  readonly startTimeout: number;
  /** How long a call waits for a program that is restarting. */
  readonly callWait: number;
  /** Between SIGTERM and SIGKILL. */
  readonly grace: number;
  readonly listTools: number;
  /** A connection that lived this long resets the backoff. */
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
