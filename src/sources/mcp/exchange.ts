import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { sortMessage } from "../../system/rpc/message.ts";
import type { MessageId } from "../../system/rpc/message-id.ts";
import type { PeerAnswer, PeerClient } from "../peer.ts";
import type { Progress } from "../source.ts";
import type { LocalFault } from "./local-fault.ts";

/** A request of ours that waits for its answer, with the client that made it. */
export interface ServerExchange {
  readonly id: MessageId;
  readonly method: string;
  readonly client: PeerClient | null;
  /** Toolcrib's own housekeeping: a server cannot ask anybody anything because of it. */
  readonly own: boolean;
  readonly onProgress: ((progress: Progress) => void) | null;
  /** Reports that somebody is being asked on behalf of this request, or no longer is. */
  readonly onWaiting: ((waiting: boolean) => void) | null;
  answer(answer: PeerAnswer): void;
  fail(fault: LocalFault): void;
}

/** A well-formed answer in the protocol's terms, unfiltered. */
export function toPeerAnswer(message: Readonly<Record<string, unknown>>): PeerAnswer {
  const { result, error } = message;
  if (isRecord(result)) return { kind: "result", result };
  const { code, message: text, data } = isRecord(error) ? error : {};
  return {
    kind: "error",
    code: typeof code === "number" ? code : -32603,
    message: typeof text === "string" ? text : "",
    ...(data === undefined ? {} : { data }),
  };
}

/** The newer protocol also sends some errors, such as an unknown method, as HTTP errors. */
export function findAnswer(thrown: unknown, id: MessageId): PeerAnswer | null {
  if (!(thrown instanceof Error) || !("data" in thrown) || !isRecord(thrown.data)) return null;
  const { status, text } = thrown.data;
  if (status === 401 || status === 403 || typeof text !== "string") return null;
  const message = parseJson(text);
  const sorted = sortMessage(message);
  if (sorted.kind !== "answer" || !sorted.wellFormed || sorted.id !== id || !isRecord(message)) return null;
  return toPeerAnswer(message);
}

/** Reports progress to the client and the caller; the token is only meaningful on one connection. */
export function reportProgress(
  { client, onProgress }: ServerExchange,
  params: Readonly<Record<string, unknown>>,
): void {
  const { progress, total, message } = params;
  onProgress?.({
    progress: typeof progress === "number" ? progress : null,
    total: typeof total === "number" ? total : null,
    message: typeof message === "string" ? message : null,
  });
  if (client === null) return;
  const { progressToken: _, ...rest } = params;
  client.notify("notifications/progress", rest);
}
