import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { PeerAnswer } from "../../../sources/peer.ts";
import { type ProtocolAnswer, type Refusal, refuseRequest } from "./json-rpc.ts";
import { ERROR } from "./protocol.ts";

const CODE = "store.unavailable";
const TEXT = `the store cannot be used now, and what needs it is refused until it is back [${CODE}]`;

/** The answer to whatever needs the store while that is away (S11). Where the store is, is nothing for clients to know. */
export const STORE_AWAY: Refusal = Object.freeze(refuseRequest(ERROR.server, TEXT, { code: CODE }));

/** What a server hears that wants to ask a client meanwhile. */
export const UNASKED: PeerAnswer = Object.freeze({ ...STORE_AWAY, message: `The client cannot be asked now: ${TEXT}` });

/** Also where a newer Toolcrib has moved its tables on: to clients that is the same. */
export function isStoreAway(error: unknown): boolean {
  return isToolcribError(error) && error.code.startsWith("store.");
}

/** The status of an answer: what a server behind the gateway says is one as any other, whatever it says. */
export function statusOf(answer: ProtocolAnswer | null): number {
  if (answer === STORE_AWAY) return 503;
  return answer?.kind === "error" && answer.code === ERROR.capability ? 400 : 200;
}

/** Whether a call came to nothing. */
export function isFailedAnswer(answer: ProtocolAnswer): boolean {
  return answer.kind === "error" || (answer.kind === "result" && answer.result.isError === true);
}
