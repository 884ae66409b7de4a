import { isRecord } from "../../../core/shape/is-record.ts";
import type { FeedMessage } from "../../../runtime/store/store.ts";
import type { RequestId } from "../wire/json-rpc.ts";

/**
 * What is stored about an answer that became a stream: its owner, what was sent that counts, and whether its client is
 * there.
 */
export type StreamMessage =
  | {
      readonly kind: "head";
      readonly session: string;
      readonly machine: string;
      readonly id: RequestId;
      readonly method: string;
    }
  | { readonly kind: "event" | "answer"; readonly text: string }
  /** The client came back, to a machine and under a number that identifies this visit; or left again. */
  | { readonly kind: "back" | "gone"; readonly visit?: string; readonly machine?: string };

export function toStreamMessage({ message }: FeedMessage): StreamMessage | null {
  return isRecord(message) ? (message as unknown as StreamMessage) : null; // As it was posted here.
}
