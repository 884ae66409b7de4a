import type { QuestionKind } from "../../core/events/journal-state.ts";
import type { Emitter } from "../events/emitter.ts";
import { createNesting } from "../executor/nesting.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import {
  type PermissionAnswer,
  type PermissionHandler,
  type PermissionRequest,
  readAnswer,
  UNREACHED,
} from "./permission-request.ts";

export interface Answered {
  readonly answer: PermissionAnswer;
  /** Who answered; null if nobody could be asked. */
  readonly by: string | null;
}

/** Asks the one who decides about calls one question at a time, because a person reads one thing at a time. */
export interface Asking {
  /** Runs the work when no other question is open; stops waiting when the signal is aborted. */
  inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  ask(question: PutQuestion): Promise<Answered & { readonly requestId: string }>;
}

interface PutQuestion {
  readonly request: PermissionRequest;
  readonly prepared: PreparedCall;
  /** Managed policy requires the question. */
  readonly byPolicy: boolean;
}

export interface AskingPorts {
  /** Null: nobody can be asked. */
  readonly handler: () => PermissionHandler | null;
  /** Hooks that may answer instead of a person; null if none of them did. */
  readonly askHooks: (
    request: PermissionRequest,
    prepared: PreparedCall,
    byPolicy: boolean,
  ) => Promise<Answered | null>;
  /** The calls come from several people, so one who does not answer must not block the others. */
  readonly asksAtOnce: boolean;
  /** The one who is asked may make calls before answering. */
  readonly mayCall: boolean;
  readonly newId: () => string;
  readonly emit: Emitter["emit"];
  /** Where questions are stored, so that anybody may answer them. */
  readonly stored?: StoredQuestions | undefined;
}

/** Questions that outlive their process. */
export interface StoredQuestions {
  /** Puts a question to everybody, in addition to the handler, once it is stored; the first answer counts. */
  firstAnswer(
    requestId: string,
    handler: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<{ readonly answer: unknown; readonly by: string }>;
  /**
   * The id of the question that a call waited for when its process ended, once; null for every other call, and where another
   * question would be asked now.
   */
  askedBefore(kind: QuestionKind, toolCallId: string, about?: string): string | null;
}

/** Who is being asked now. */
const answering = createNesting<object>((one, other) => one === other);

export function createAsking(ports: AskingPorts): Asking {
  const { handler, askHooks, emit, newId, asksAtOnce, mayCall, stored } = ports;
  let last: Promise<unknown> = Promise.resolve();
  /** Set while somebody is being asked: a question from inside their handler cannot wait for their own answer. */
  const own = {};

  const answer = async (requestId: string, question: PutQuestion, isAgain: boolean): Promise<Answered> => {
    const { request } = question;
    const byHook = await askHooks(request, question.prepared, question.byPolicy);
    if (byHook !== null) return byHook;
    const ask = handler();
    if (ask === null && !isAgain) return NOBODY;
    try {
      // A question that was already asked stays open, even if nobody here could answer it.
      const put = async (): Promise<unknown> => (ask === null ? FOREVER : ask(request));
      const found =
        stored === undefined
          ? { answer: await put(), by: "the user" }
          : await stored.firstAnswer(requestId, put, request.signal);
      const answered = readAnswer(found.answer);
      return { answer: answered, by: answered.by ?? found.by };
    } catch {
      return {
        answer: { decision: "deny", reason: UNREACHED, isUnasked: true },
        by: "the user",
      };
    }
  };

  return {
    inTurn(signal, work) {
      if (asksAtOnce || answering.current.includes(own)) return work();
      const before = last;
      const run = (async () => {
        await before;
        signal.throwIfAborted();
        return work();
      })();
      // Once its call is cancelled, an answer that never comes must not block others.
      last = Promise.race([run.catch(() => {}), aborted(signal)]);
      return run;
    },
    async ask(question) {
      const { request } = question;
      const { about } = request;
      const before = stored?.askedBefore("permission", request.toolCallId, about) ?? null;
      const requestId = before ?? newId();
      const { toolCallId, toolName, kind, reason } = request;
      const asked = { requestId, toolCallId, toolName, kind, reason };
      emit("permission.requested", about === undefined ? asked : { ...asked, about });
      const put = () => answer(requestId, question, before !== null);
      const answered = await (mayCall ? answering.run(own, put) : put());
      return { ...answered, requestId };
    },
  };
}

const FOREVER = new Promise<never>(() => {});

const NOBODY: Answered = {
  answer: { decision: "deny", reason: "no rule allows it, and there is nobody to ask" },
  by: null,
};

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
