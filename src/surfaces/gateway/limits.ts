/** What one client may cost. */
export interface GatewayLimits {
  /** Milliseconds without a word after which a client counts as gone. */
  readonly idle: number;
  /** Bytes of one message. */
  readonly messageBytes: number;
  /** Milliseconds within which a question to a client must be answered. */
  readonly questionTimeout: number;
  /** Questions that wait for modern clients to come back, all together. */
  readonly suspendedCalls: number;
  /** Clients of one token, and clients all together. */
  readonly sessionsEach: number;
  readonly sessions: number;
  /** Clients, all together, that have been silent for a minute. */
  readonly silentSessions: number;
  /** Milliseconds for which a call of an unknown tool waits for servers that start. */
  readonly patience: number;
  /** Milliseconds after the start of a server for which a list waits for it, unless its last list stands in for it. */
  readonly listPatience: number;
}

export const DEFAULT_LIMITS: GatewayLimits = {
  idle: 30 * 60_000,
  messageBytes: 4 * 1024 * 1024,
  questionTimeout: 5 * 60_000,
  suspendedCalls: 1_000,
  sessionsEach: 256,
  sessions: 10_000,
  silentSessions: 512,
  patience: 5_000,
  listPatience: 8_000,
};
