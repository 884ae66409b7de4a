import type { Cancelling } from "../../core/call/cancelling.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Progress } from "../source.ts";
import { askClient } from "./ask-client.ts";
import { isQuestionMethod, lacksFor } from "./client-capabilities.ts";
import type { Clock } from "./clock.ts";
import type { Connection } from "./connection.ts";
import type { McpLimits } from "./limits.ts";
import { isRecord } from "./message.ts";
import { createPausableTimer } from "./pausable-timer.ts";
import type { PeerAnswer, PeerClient, PeerQuestion } from "./peer.ts";
import type { Pending } from "./requests.ts";

type Params = Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly method: string;
  readonly params: Params;
  readonly client: PeerClient | null;
  /** Milliseconds; while somebody is being asked they do not count. */
  readonly timeout: number;
  readonly cancelling: Cancelling;
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly onProgress: ((progress: Progress) => void) | null;
  readonly onWaiting: ((waiting: boolean) => void) | null;
}

export type Ended =
  | { readonly kind: "answer"; readonly answer: PeerAnswer }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" };

/** Before the next round where the server asked nothing and only wants to be called again. */
const PACE = 250;

/**
 * One request with all its rounds: a newer server may want answers first (`input_required`), and gets the request again
 * with them. Rejects when the server cannot be talked to, or nobody can answer it.
 */
export async function converse(connection: Connection, given: Conversation): Promise<Ended> {
  const { method, client, timeout, cancelling, clock, limits } = given;
  let ended: "timeout" | "cancelled" | null = null;
  let pending: Pending | null = null;
  let asking: AbortController | null = null;
  const stop = (why: "timeout" | "cancelled", text: string) => {
    ended ??= why;
    // The text goes to the server with the cancellation.
    pending?.cancel(text);
    asking?.abort();
  };
  const timer = createPausableTimer(clock, timeout, () => stop("timeout", `no answer within ${timeout} ms`));
  const onWaiting = (waiting: boolean) => {
    if (waiting) timer.pause();
    else timer.resume();
    given.onWaiting?.(waiting);
  };
  const options = { client, own: false, onProgress: given.onProgress, onWaiting, headers: given.headers };
  const letGo = cancelling.onCancel(() => stop("cancelled", "the call was cancelled"));
  try {
    let params = given.params;
    for (let round = 1; ; round++) {
      if (ended !== null) return { kind: ended };
      pending = connection.send(method, params, options);
      const answer = await pending.answered;
      if (answer.kind === "error" || answer.result.resultType !== "input_required") return { kind: "answer", answer };
      if (round > limits.inputRounds) throw rounds(limits.inputRounds);
      asking = new AbortController();
      const { inputRequests, requestState } = answer.result;
      const questions = readQuestions(inputRequests);
      if (questions.size === 0) await pause(clock, asking.signal);
      else {
        onWaiting(true);
        const controller = asking;
        const patience = clock.setTimeout(() => controller.abort(), limits.askTimeout);
        const answers = await ask(client, questions, controller.signal).finally(() => {
          clock.clearTimeout(patience);
          onWaiting(false);
        });
        if (answers.kind === "error") return { kind: "answer", answer: answers };
        params = { ...given.params, inputResponses: answers.result };
      }
      if (questions.size === 0) params = given.params;
      if (requestState !== undefined) params = { ...params, requestState };
    }
  } catch (error) {
    if (ended !== null) return { kind: ended };
    throw error;
  } finally {
    timer.stop();
    letGo();
  }
}

function readQuestions(inputRequests: unknown): ReadonlyMap<string, PeerQuestion> {
  const questions = new Map<string, PeerQuestion>();
  for (const [key, entry] of Object.entries(isRecord(inputRequests) ? inputRequests : {})) {
    if (!isRecord(entry) || !isQuestionMethod(entry.method)) {
      throw new ToolcribError("mcp.invalid-answer", "The server asks for something that the protocol does not know.");
    }
    questions.set(key, { method: entry.method, params: isRecord(entry.params) ? entry.params : {} });
  }
  return questions;
}

/** All answers under their keys; the first one that is an error stands for all, for the protocol has no place for it. */
async function ask(
  client: PeerClient | null,
  questions: ReadonlyMap<string, PeerQuestion>,
  signal: AbortSignal,
): Promise<PeerAnswer> {
  if (client === null) throw nobody();
  for (const question of questions.values()) if (lacksFor(client, question) !== null) throw nobody();
  const answers = await askClient(client, questions, signal);
  const responses: [string, unknown][] = [];
  for (const key of questions.keys()) {
    const answer = answers.get(key);
    if (answer === undefined) throw nobody();
    if (answer.kind === "error") return answer;
    responses.push([key, answer.result]);
  }
  return { kind: "result", result: Object.fromEntries(responses) };
}

function nobody(): ToolcribError {
  return new ToolcribError(
    "mcp.invalid-answer",
    "The tool asks for input in the middle of a call; nobody can give it here.",
  );
}

function rounds(most: number): ToolcribError {
  return new ToolcribError("mcp.invalid-answer", `The server asked for input more than ${most} times in one call.`);
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(resolve, PACE);
    const onAbort = () => {
      clock.clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
