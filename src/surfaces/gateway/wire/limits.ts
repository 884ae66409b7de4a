/** What one client may cost. */
export const GATEWAY_LIMITS = {
  /** Milliseconds of silence after which a client counts as gone. */
  idle: 30 * 60_000,
  /** Bytes of one message. */
  messageBytes: 4 * 1024 * 1024,
  /** Milliseconds within which a question to a client must be answered. */
  questionTimeout: 5 * 60_000,
  /** Questions that wait for modern clients to come back, all together. */
  suspendedCalls: 1_000,
  /** Clients per token, and clients all together. */
  sessionsEach: 256,
  sessions: 10_000,
  /** Clients, all together, that have been silent for a minute. */
  silentSessions: 512,
  /** Milliseconds for which a call of an unknown tool waits for servers that are starting. */
  patience: 5_000,
  /** Milliseconds after the start of a server for which a list waits for it, unless its stored list replaces it. */
  listPatience: 8_000,
};

export type GatewayLimits = Readonly<typeof GATEWAY_LIMITS>;
