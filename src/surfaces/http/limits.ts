/** What strangers and clients may cost. Generous: a busy client never meets them, a broken or hostile one does. */
export interface HttpLimits {
  /** Bytes of a body at `/mcp`, as far as it is announced; the gateway counts the rest. */
  readonly messageBytes: number;
  /** Bytes of a body at `/api`. */
  readonly apiBytes: number;
  /** Requests a second of one token, on average, and how many may come at once. */
  readonly requestsPerSecond: number;
  readonly burst: number;
  /** The same for requests without a token that is known, all together. */
  readonly refusalsPerSecond: number;
  readonly refusalBurst: number;
  /** Milliseconds for the head of a request, and for all of it. */
  readonly headTimeout: number;
  readonly requestTimeout: number;
  /** Milliseconds that an unused connection is kept. */
  readonly idleTimeout: number;
  readonly connections: number;
  /** Pages that listen for events, all together. */
  readonly listeners: number;
  /** Milliseconds for running requests to end when the server closes. */
  readonly grace: number;
  /**
   * Milliseconds and bytes for the rest of a body that nobody wants, so that its sender gets to read why. Many read
   * nothing before they have sent all, so it has to be a good deal more than what a body may have.
   */
  readonly lingerTime: number;
  readonly lingerBytes: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  messageBytes: 4 * 1024 * 1024,
  apiBytes: 64 * 1024,
  requestsPerSecond: 5_000,
  burst: 20_000,
  refusalsPerSecond: 20,
  refusalBurst: 200,
  headTimeout: 10_000,
  requestTimeout: 60_000,
  idleTimeout: 60_000,
  connections: 5_000,
  listeners: 32,
  grace: 5_000,
  lingerTime: 2_000,
  lingerBytes: 32 * 1024 * 1024,
};
