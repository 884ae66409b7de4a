import type { BreakerLimits } from "../parts/breaker.ts";
import { MIB, PROGRAM_LIMITS, type ProgramLimits } from "../parts/limits.ts";

/** Everything that bounds what one server may cost; times in milliseconds. */
export interface McpLimits extends ProgramLimits, BreakerLimits {
  /** How long a server that runs may take to list its tools again. */
  readonly refreshTimeout: number;
  /** How long a call may take when neither tool nor server says so. */
  readonly callTimeout: number;
  /** How long a local server may leave the question for the newer protocol unanswered before the older one is tried. */
  readonly probeTimeout: number;
  readonly listPages: number;
  readonly listBytes: number;
  /** Rounds of questions and answers within one call. */
  readonly inputRounds: number;
  /** Questions of one server that may be open at a time. */
  readonly openQuestions: number;
  /** How long a person may take to answer one. */
  readonly askTimeout: number;
  /** How long a process may still be at a request that was given up, and ask on its behalf. */
  readonly lingering: number;
  /** How often a server that wants a login looks whether there is one. */
  readonly loginWatch: number;
}

export const DEFAULT_LIMITS: McpLimits = {
  ...PROGRAM_LIMITS,
  startTimeout: 60_000,
  refreshTimeout: 10_000,
  callTimeout: 120_000,
  probeTimeout: 3_000,
  listPages: 500,
  listBytes: 32 * MIB,
  breakerTimeouts: 3,
  breakerOpen: 30_000,
  inputRounds: 10,
  openQuestions: 32,
  askTimeout: 600_000,
  lingering: 30_000,
  loginWatch: 1_000,
};
