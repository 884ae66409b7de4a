import type { GatewayConfig } from "../../../config/config.ts";

type Capacity = GatewayConfig["capacity"];

/** What clients may cost. */
export const GATEWAY_LIMITS = {
  /** Milliseconds of silence after which a client counts as gone. */
  idle: 30 * 60_000,
  /** Bytes of one message. */
  messageBytes: 4 * 1024 * 1024,
  /** Milliseconds within which a question to a client must be answered. */
  questionTimeout: 5 * 60_000,
  /** Questions that wait for modern clients to come back, all together. */
  suspendedCalls: 1_000,
  /** Clients per token, per person, and all together. */
  sessionsEach: 256,
  sessionsOfPerson: 256,
  sessions: 10_000,
  /** Clients with a session that are held whole; of others that are silent, only streams and a row. */
  whole: 256,
  /** Clients, all together, that have been silent for a minute. */
  silentSessions: 512,
  /** Milliseconds for which a call of an unknown tool waits for servers that are starting. */
  patience: 5_000,
  /** Milliseconds after the start of a server for which a list waits for it, unless its stored list replaces it. */
  listPatience: 8_000,
};

export type GatewayLimits = Readonly<typeof GATEWAY_LIMITS>;

/** The limits as they are configured now, except for those that are given. */
export function followLimits(capacity: () => Capacity, given: Partial<GatewayLimits>): GatewayLimits {
  const configured = {
    get sessionsEach() {
      return given.sessionsEach ?? capacity().perToken.value;
    },
    get sessionsOfPerson() {
      return given.sessionsOfPerson ?? capacity().perPerson.value;
    },
    get sessions() {
      return given.sessions ?? capacity().clients.value;
    },
    get whole() {
      return given.whole ?? capacity().whole.value;
    },
    get silentSessions() {
      return given.silentSessions ?? capacity().silent.value;
    },
  };
  return Object.defineProperties({ ...GATEWAY_LIMITS, ...given }, Object.getOwnPropertyDescriptors(configured));
}
