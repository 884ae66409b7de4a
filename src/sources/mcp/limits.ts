import type { BreakerLimits } from "../parts/breaker.ts";
import { MIB, PROGRAM_LIMITS, type ProgramLimits } from "../parts/limits.ts";

/** Everything that bounds the cost of one server; times in milliseconds. */
export interface McpLimits extends ProgramLimits, BreakerLimits {
  /** How long a running server may take to list its tools again. */
  readonly refreshTimeout: number;
  /** How long a call may take if neither the tool nor the server sets a limit. */
  readonly callTimeout: number;
  /** How long a local server may leave the probe for the newer protocol unanswered before the older one is tried. */
  readonly probeTimeout: number;
  readonly listPages: number;
  readonly listBytes: number;
  /** Rounds of questions and answers within one call. */
  readonly inputRounds: number;
  /** Questions of one server that may be open at the same time. */
  readonly openQuestions: number;
  /** How long a person may take to answer one. */
  readonly askTimeout: number;
  /** How long a process may keep working on an abandoned request, and ask on its behalf. */
  readonly lingering: number;
  /** How often a server that needs a login is checked for one. */
  readonly loginWatch: number;
}

export const MCP_LIMITS: McpLimits = {
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
