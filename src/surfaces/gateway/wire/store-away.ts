import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { PeerAnswer } from "../../../sources/peer.ts";
import { type ProtocolAnswer, type Refusal, refuseRequest } from "./json-rpc.ts";
import { ERROR } from "./protocol.ts";

const CODE = "store.unavailable";
const TEXT = `the store cannot be used now, and what needs it is refused until it is back [${CODE}]`;

/**
 * The answer to everything that needs the store while it is unreachable (S11). Clients do not learn where the store is.
 */
export const STORE_AWAY: Refusal = Object.freeze(refuseRequest(ERROR.server, TEXT, { code: CODE }));

/** The answer to a server that wants to ask a client in the meantime. */
export const UNASKED: PeerAnswer = Object.freeze({ ...STORE_AWAY, message: `The client cannot be asked now: ${TEXT}` });

/** Includes a schema that a newer Toolcrib has migrated: to clients that is the same. */
export function isStoreAway(error: unknown): boolean {
  return isToolcribError(error) && error.code.startsWith("store.");
}

/** The status of an answer: a server's own error is an answer like any other. */
export function statusOf(answer: ProtocolAnswer | null): number {
  if (answer === STORE_AWAY) return 503;
  return answer?.kind === "error" && answer.code === ERROR.capability ? 400 : 200;
}

/** Whether a call failed. */
export function isFailedAnswer(answer: ProtocolAnswer): boolean {
  return answer.kind === "error" || (answer.kind === "result" && answer.result.isError === true);
}
