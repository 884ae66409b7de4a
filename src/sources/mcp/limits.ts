/** Everything that bounds what one server may cost; times in milliseconds. */
export interface McpLimits {
  /** From the start of a process or connection until its tools are listed. */
  readonly startTimeout: number;
  /** How long a server that runs may take to list its tools again. */
  readonly refreshTimeout: number;
  /** How long a call may take when neither tool nor server says so. */
  readonly callTimeout: number;
  /** How long a call waits for a server that comes back; for one that starts for the first time, as long as that may take. */
  readonly callWait: number;
  /** Between SIGTERM and SIGKILL. */
  readonly grace: number;
  /** How long a local server may leave the question for the newer protocol unanswered before the older one is tried. */
  readonly probeTimeout: number;
  /** The largest single message; a larger answer fails its call. */
  readonly messageBytes: number;
  /** How much of one too large message is read and thrown away before the server is cut. */
  readonly skippedBytes: number;
  readonly listPages: number;
  readonly listTools: number;
  readonly listBytes: number;
  /** Lines that are no message or belong to no call: this many within `badLineWindow` cut the server. */
  readonly badLines: number;
  readonly badLineWindow: number;
  /** Messages that nobody asked for: this many at once, and `floodRate` a second in the long run. */
  readonly floodBurst: number;
  readonly floodRate: number;
  readonly backoffFirst: number;
  readonly backoffMost: number;
  /** A connection that lived this long starts the backoff anew when it breaks. */
  readonly stableAfter: number;
  /** Time-outs in a row that open the breaker, and how long it stays open. */
  readonly breakerTimeouts: number;
  readonly breakerOpen: number;
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
  /** Between the starts of two refreshes. */
  readonly refreshInterval: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: McpLimits = {
  startTimeout: 60_000,
  refreshTimeout: 10_000,
  callTimeout: 120_000,
  callWait: 10_000,
  grace: 2_000,
  probeTimeout: 3_000,
  messageBytes: 10 * MIB,
  skippedBytes: 256 * MIB,
  listPages: 500,
  listTools: 20_000,
  listBytes: 32 * MIB,
  badLines: 100,
  badLineWindow: 10_000,
  floodBurst: 10_000,
  floodRate: 1_000,
  backoffFirst: 250,
  backoffMost: 30_000,
  stableAfter: 10_000,
  breakerTimeouts: 3,
  breakerOpen: 30_000,
  inputRounds: 10,
  openQuestions: 32,
  askTimeout: 600_000,
  lingering: 30_000,
  loginWatch: 1_000,
  refreshInterval: 500,
};
