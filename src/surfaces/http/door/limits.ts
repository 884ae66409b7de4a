/** Limits for strangers and clients. Generous: a busy client never reaches them, a broken or hostile one does. */
export const HTTP_LIMITS = {
  /** Bytes of a body at `/mcp`, as announced; the gateway counts the rest. */
  messageBytes: 4 * 1024 * 1024,
  /** Bytes of a body at `/api`. */
  apiBytes: 64 * 1024,
  /** Requests per second of one token, on average, and how many may come at once. */
  requestsPerSecond: 5_000,
  burst: 20_000,
  /** The same for requests without a known token, all together. */
  refusalsPerSecond: 20,
  refusalBurst: 200,
  /** Milliseconds for the head of a request, and for all of it. */
  headTimeout: 10_000,
  requestTimeout: 60_000,
  /** Milliseconds for which an unused connection stays open. */
  idleTimeout: 60_000,
  connections: 15_000,
  /** Pages that listen for events, all together. */
  listeners: 32,
  /** Milliseconds for running requests to finish when the server closes. */
  grace: 5_000,
  /**
   * Milliseconds and bytes for the rest of a refused body, so that its sender can read why. Many clients read nothing
   * before they have sent everything, so this must be well above the limit of a body.
   */
  lingerTime: 2_000,
  lingerBytes: 32 * 1024 * 1024,
};

export type HttpLimits = Readonly<typeof HTTP_LIMITS>;
