import { isRecord } from "../../../core/shape/is-record.ts";
import type { PeerAnswer, PeerClient, PeerQuestion } from "../../../sources/peer.ts";
import type { Params, ProtocolAnswer } from "../wire/json-rpc.ts";

type QuestionMap = ReadonlyMap<string, PeerQuestion>;

/** The next step of a request of the newer protocol: its answer, or questions that the client must come back with. */
export type Turn =
  | { readonly kind: "answer"; readonly answer: ProtocolAnswer }
  | { readonly kind: "questions"; readonly questions: QuestionMap };

/** One request with all its rounds. It continues while the client is away and waits only where it asked. */
export interface Conversation {
  readonly id: string;
  /** Whether it waits for its client to come back. */
  readonly isAsking: boolean;
  /** Sends a notification in the current round; null while the client is away. */
  tell: ((method: string, params: Params) => void) | null;
  next(): Promise<Turn>;
  /** Answers the open questions; false if one is missing or is not an answer. */
  reply(responses: Params): boolean;
  /** Cancels, as when the client went away or does not come back. */
  abort(): void;
}

export interface ConversationOptions {
  readonly id: string;
  readonly capabilities: Params;
  /** Answers that came before the questions, from a client without a state to come back to. */
  readonly early: Params | null;
  readonly work: (client: PeerClient, signal: AbortSignal) => Promise<ProtocolAnswer>;
}

interface Asked {
  readonly questions: QuestionMap;
  readonly settle: (answers: ReadonlyMap<string, PeerAnswer>) => void;
}

export function createMcpConversation({ id, capabilities, early, work }: ConversationOptions): Conversation {
  const controller = new AbortController();
  const asked: Asked[] = [];
  let given = early;
  let ended: ProtocolAnswer | null = null;
  let failure: { readonly error: unknown } | null = null;
  let wake = (): void => {};

  const client: PeerClient = {
    id,
    era: "modern",
    capabilities,
    ask(questions, signal) {
      const answers = given === null ? null : readAnswers(questions, given);
      given = null;
      if (answers !== null) return Promise.resolve(answers);
      return new Promise((resolve, reject) => {
        const one: Asked = {
          questions,
          settle(found) {
            signal.removeEventListener("abort", onAbort);
            resolve(found);
          },
        };
        const onAbort = (): void => {
          asked.splice(asked.indexOf(one), 1);
          reject(signal.reason);
        };
        asked.push(one);
        signal.addEventListener("abort", onAbort, { once: true });
        if (signal.aborted) onAbort();
        wake();
      });
    },
    notify: (method, params) => conversation.tell?.(method, params),
  };

  const conversation: Conversation = {
    id,
    get isAsking() {
      return asked.length > 0;
    },
    tell: null,
    async next() {
      for (;;) {
        if (failure !== null) throw (failure as { readonly error: unknown }).error; // Set while it was awaited.
        if (ended !== null) return { kind: "answer", answer: ended };
        const [open] = asked;
        if (open !== undefined) return { kind: "questions", questions: open.questions };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    reply(responses) {
      const [open] = asked;
      const answers = open === undefined ? null : readAnswers(open.questions, responses);
      if (open === undefined || answers === null) return false;
      asked.shift();
      open.settle(answers);
      return true;
    },
    abort: () => controller.abort(),
  };
  work(client, controller.signal).then(
    (answer) => {
      ended = answer;
      wake();
    },
    (error: unknown) => {
      failure = { error };
      wake();
    },
  );
  return conversation;
}

/** Null unless every question has an answer. Additional answers are ignored. */
function readAnswers(questions: QuestionMap, responses: Params): ReadonlyMap<string, PeerAnswer> | null {
  const answers = new Map<string, PeerAnswer>();
  for (const key of questions.keys()) {
    const result = Object.hasOwn(responses, key) ? responses[key] : undefined;
    if (!isRecord(result)) return null;
    answers.set(key, { kind: "result", result: result as Params }); // An object that came as JSON.
  }
  return answers;
}
