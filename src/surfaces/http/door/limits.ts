/** What strangers and clients may cost. Generous: a busy client never meets them, a broken or hostile one does. */
export const HTTP_LIMITS = {
  /** Bytes of a body at `/mcp`, as far as it is announced; the gateway counts the rest. */
  messageBytes: 4 * 1024 * 1024,
  /** Bytes of a body at `/api`. */
  apiBytes: 64 * 1024,
  /** Requests a second of one token, on average, and how many may come at once. */
  requestsPerSecond: 5_000,
  burst: 20_000,
  /** The same for requests without a token that is known, all together. */
  refusalsPerSecond: 20,
  refusalBurst: 200,
  /** Milliseconds for the head of a request, and for all of it. */
  headTimeout: 10_000,
  requestTimeout: 60_000,
  /** Milliseconds that an unused connection is kept. */
  idleTimeout: 60_000,
  connections: 5_000,
  /** Pages that listen for events, all together. */
  listeners: 32,
  /** Milliseconds for running requests to end when the server closes. */
  grace: 5_000,
  /**
   * Milliseconds and bytes for the rest of a body that nobody wants, so that its sender gets to read why. Many read
   * nothing before they have sent all, so it has to be a good deal more than what a body may have.
   */
  lingerTime: 2_000,
  lingerBytes: 32 * 1024 * 1024,
};

export type HttpLimits = Readonly<typeof HTTP_LIMITS>;
