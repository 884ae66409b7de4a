import type { Cancelling } from "../../core/call/cancelling.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Clock } from "../../system/time/clock.ts";
import { createPausableTimer, type PausableTimer } from "../../system/time/pausable-timer.ts";
import { pause } from "../../system/time/until-aborted.ts";
import type { PeerAnswer, PeerClient, PeerQuestion } from "../peer.ts";
import type { Progress } from "../source.ts";
import { askBehind, lineOf } from "./ask-client.ts";
import { isQuestionMethod, lacksFor } from "./client-capabilities.ts";
import type { Connection } from "./connection.ts";
import type { McpLimits } from "./limits.ts";
import type { Pending, RequestOptions } from "./requests.ts";

type Params = Readonly<Record<string, unknown>>;

export interface ServerConversation {
  readonly method: string;
  readonly params: Params;
  readonly client: PeerClient | null;
  /** Milliseconds; the time in which somebody is being asked does not count. */
  readonly timeout: number;
  readonly cancelling: Cancelling;
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly onProgress: ((progress: Progress) => void) | null;
  readonly onWaiting: ((waiting: boolean) => void) | null;
}

export type ConversationEnd =
  | { readonly kind: "answer"; readonly answer: PeerAnswer }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" };

/** Pause before the next round if the server asked nothing and only wants to be called again. */
const PACE = 250;

/**
 * One request with all its rounds: a newer server may need answers first (`input_required`), and gets the request again
 * with them. Rejects when the server cannot be reached, or when nobody can answer it.
 */
export function converse(connection: Connection, given: ServerConversation): Promise<ConversationEnd> {
  return new Conversation(connection, given).end();
}

/** A class because there is one per call. */
class Conversation {
  readonly #connection: Connection;
  readonly #given: ServerConversation;
  readonly #timer: PausableTimer;
  readonly #letGo: () => void;
  readonly #options: RequestOptions;
  #ended: "timeout" | "cancelled" | null = null;
  #pending: Pending | null = null;
  #asking: AbortController | null = null;

  constructor(connection: Connection, given: ServerConversation) {
    const { client, onProgress, headers, timeout } = given;
    this.#connection = connection;
    this.#given = given;
    this.#options = { client, own: false, onProgress, onWaiting: this.#onWaiting, headers };
    this.#timer = createPausableTimer(given.clock, timeout, () =>
      this.#stop("timeout", `no answer within ${timeout} ms`),
    );
    this.#letGo = given.cancelling.onCancel(() => this.#stop("cancelled", "the call was cancelled"));
  }

  async end(): Promise<ConversationEnd> {
    try {
      if (this.#ended !== null) return { kind: this.#ended };
      const answer = await this.#send(this.#given.params);
      return isOpen(answer) ? await this.#goOn(answer) : { kind: "answer", answer };
    } catch (error) {
      if (this.#ended !== null) return { kind: this.#ended };
      throw error;
    } finally {
      this.#timer.stop();
      this.#letGo();
    }
  }

  /** The rounds after the first; most requests have none. */
  async #goOn(first: Open): Promise<ConversationEnd> {
    const { limits, params: own } = this.#given;
    let open = first;
    for (let round = 1; ; round++) {
      if (round > limits.inputRounds) throw rounds(limits.inputRounds);
      const { inputRequests, requestState } = open.result;
      const answered = await this.#ask(
        readQuestions(inputRequests, { server: this.#connection.server, ...lineOf(this.#given.client) }),
      );
      if (answered.kind === "error") return { kind: "answer", answer: answered };
      let params: Params = answered.result === null ? own : { ...own, inputResponses: answered.result };
      if (requestState !== undefined) params = { ...params, requestState };
      if (this.#ended !== null) return { kind: this.#ended };
      const answer = await this.#send(params);
      if (!isOpen(answer)) return { kind: "answer", answer };
      open = answer;
    }
  }

  #send(params: Params): Promise<PeerAnswer> {
    this.#pending = this.#connection.send(this.#given.method, params, this.#options);
    return this.#pending.answered;
  }

  /** The client's answers to the questions; none if there were no questions, after a pause. */
  async #ask(
    questions: ReadonlyMap<string, PeerQuestion>,
  ): Promise<PeerError | { readonly kind: "result"; readonly result: Params | null }> {
    const { client, clock, limits } = this.#given;
    const asking = new AbortController();
    this.#asking = asking;
    if (questions.size === 0) {
      await pause(clock, PACE, asking.signal);
      return { kind: "result", result: null };
    }
    this.#onWaiting(true);
    const patience = clock.setTimeout(() => asking.abort(), limits.askTimeout);
    try {
      return await ask(client, questions, asking.signal);
    } finally {
      clock.clearTimeout(patience);
      this.#onWaiting(false);
    }
  }

  #stop(why: "timeout" | "cancelled", text: string): void {
    this.#ended ??= why;
    // The server receives this text with the cancellation.
    this.#pending?.cancel(text);
    this.#asking?.abort();
  }

  readonly #onWaiting = (waiting: boolean): void => {
    if (waiting) this.#timer.pause();
    else this.#timer.resume();
    this.#given.onWaiting?.(waiting);
  };
}

type PeerError = Extract<PeerAnswer, { kind: "error" }>;

/** An answer that asks for input first. */
type Open = Extract<PeerAnswer, { kind: "result" }>;

function isOpen(answer: PeerAnswer): answer is Open {
  return answer.kind === "result" && answer.result.resultType === "input_required";
}

function readQuestions(
  inputRequests: unknown,
  about: Pick<PeerQuestion, "server" | "codeLine">,
): ReadonlyMap<string, PeerQuestion> {
  const questions = new Map<string, PeerQuestion>();
  for (const [key, entry] of Object.entries(isRecord(inputRequests) ? inputRequests : {})) {
    if (!isRecord(entry) || !isQuestionMethod(entry.method)) {
      throw new ToolcribError("mcp.invalid-answer", "The server asks for something that the protocol does not know.");
    }
    questions.set(key, { ...about, method: entry.method, params: isRecord(entry.params) ? entry.params : {} });
  }
  return questions;
}

/** All answers under their keys; if one is an error, it is returned for all, because the protocol cannot carry both. */
async function ask(
  client: PeerClient | null,
  questions: ReadonlyMap<string, PeerQuestion>,
  signal: AbortSignal,
): Promise<PeerAnswer> {
  if (client === null) throw nobody();
  for (const question of questions.values()) if (lacksFor(client, question) !== null) throw nobody();
  const answers = await askBehind(client, questions, signal);
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
