import { hash } from "node:crypto";
import { fromSignal } from "../../../core/call/cancelling.ts";
import { toCanonicalJson } from "../../../core/tool/canonical-json.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import { answerCommon, type MethodPorts, unknownMethod } from "../methods/methods.ts";
import type { Passed } from "../shared/relay.ts";
import type { Shared } from "../shared/shared.ts";
import type { Front } from "../views/front.ts";
import type { View } from "../views/view.ts";
import type { ProtocolEnvelope } from "../wire/envelope.ts";
import { finishAnswer, type ServerInfo } from "../wire/finish.ts";
import {
  type IncomingRequest,
  invalidParams,
  isObject,
  type Params,
  type ProtocolAnswer,
  refuseRequest,
  writeNotification,
} from "../wire/json-rpc.ts";
import { nameAsker } from "../wire/name-asker.ts";
import type { LeavableOutlet } from "../wire/outlet.ts";
import { ERROR, MODERN_VERSIONS, passesLevel } from "../wire/protocol.ts";
import { type Conversation, createMcpConversation, type Turn } from "./conversation.ts";
import { createModernRounds, type LeftRequest } from "./modern-rounds.ts";
import type { SuspendedCalls } from "./suspended-calls.ts";

/** All clients of the newer protocol with the same principal and profile: nothing else is known about them. */
export interface ModernFront extends Front {
  readonly era: "modern";
  /** Calls back when it is closed from this side; returns how to unsubscribe. */
  onClose(listener: () => void): () => void;
  /** A client that stops waiting cancels the request. */
  answer(request: IncomingRequest, envelope: ProtocolEnvelope, outlet: LeavableOutlet): Promise<ProtocolAnswer>;
}

export interface ModernFrontOptions extends MethodPorts {
  readonly view: View;
  /** The identity of all of them. */
  readonly owner: string;
  readonly server: ServerInfo;
  readonly capabilities: Params;
  readonly suspended: SuspendedCalls;
  /** Passes requests that other machines work on; null if there are none. */
  readonly shared: Shared | null;
}

/** Methods that may ask questions; in others a server gets no answer. */
const ASKING: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

export function createModernFront(options: ModernFrontOptions): ModernFront {
  const { view, owner, server, capabilities, suspended, running } = options;
  const rounds = options.shared === null ? null : createModernRounds(options.shared);
  let working = 0;
  const closing = createChangeListeners();

  const begin = (
    { method, params }: IncomingRequest,
    envelope: ProtocolEnvelope,
    mine: string,
    before: LeftRequest["asked"],
  ): Conversation => {
    const { inputResponses: early, requestState: _, ...rest } = params;
    if (envelope.logLevel !== null) view.setLevel(envelope.logLevel);
    // Nothing shows that two requests come from the same client, so each counts as one.
    const id = running.nextId();
    const request = rounds?.begin({ owner: mine, id, isAsking: () => conversation.isAsking, before });
    const conversation = createMcpConversation({
      id,
      capabilities: ASKING.has(method) ? envelope.capabilities : {},
      early: isObject(early) ? early : null,
      async work(client, signal) {
        working += 1;
        try {
          const known = { cancelling: fromSignal(signal), client, meta: envelope.meta };
          const exchange = request === undefined ? known : { ...known, outlet: request.outlet };
          const answer = await answerCommon(front, method, rest, exchange, options);
          return request?.comeBack() ?? answer ?? unknownMethod(method);
        } finally {
          working -= 1;
        }
      },
    });
    return conversation;
  };

  const converse: ModernFront["answer"] = async (request, envelope, outlet) => {
    const { inputResponses, requestState } = request.params;
    const problem = checkRetry(inputResponses, requestState);
    if (problem !== null) return invalidParams(problem);
    const isNew = typeof requestState !== "string";
    const mine = ownerOf(owner, request);
    const responses = isObject(inputResponses) ? inputResponses : {};
    const round = isNew ? null : ({ kind: "round", state: requestState, owner: mine, responses } as const);
    const elsewhere = round === null ? "here" : ((await rounds?.answer(round, outlet)) ?? "here");
    if (elsewhere !== "here" && elsewhere.kind !== "left") return elsewhere;
    const left = elsewhere === "here" ? null : elsewhere;
    const starts = isNew || left !== null;
    const conversation = starts
      ? begin(request, envelope, mine, left?.asked ?? null)
      : suspended.take(requestState, mine);
    if (conversation === null) return unknownState();
    // Unanswered questions are asked again.
    if (!starts) conversation.reply(responses);
    return toTurnAnswer(await follow(conversation, outlet, envelope), conversation, mine, suspended);
  };

  const front: ModernFront = {
    era: "modern",
    view,
    calls: 0,
    shown: null,
    get isBusy() {
      return working > 0;
    },
    onClose: closing.add,
    close() {
      closing.emit();
      closing.clear();
      return view.close();
    },
    async answer(request, envelope, outlet) {
      const { method } = request;
      const answer =
        method === "server/discover" ? discover(view, capabilities) : await converse(request, envelope, outlet);
      return finishAnswer("modern", method, answer, server);
    },
  };
  return front;
}

function discover(view: View, capabilities: Params): ProtocolAnswer {
  const { instructions } = view.offer();
  const result = { supportedVersions: MODERN_VERSIONS, capabilities };
  return { kind: "result", result: instructions === undefined ? result : { ...result, instructions } };
}

/** Lets the work continue until it ends or asks, and cancels it if nobody waits for that. */
async function follow(conversation: Conversation, outlet: LeavableOutlet, envelope: ProtocolEnvelope): Promise<Turn> {
  conversation.tell = (method, params) => tellRound(outlet, envelope, method, params);
  const stay = outlet.onGone(() => conversation.abort());
  try {
    return await conversation.next();
  } finally {
    conversation.tell = null;
    stay();
  }
}

/** A round of a request that this machine works on, for a client that came back to another one. */
export async function answerRound(
  { state, owner, responses }: Extract<Passed, { kind: "round" }>,
  signal: AbortSignal,
  suspended: SuspendedCalls,
): Promise<ProtocolAnswer> {
  const conversation = suspended.take(state, owner);
  if (conversation === null) return unknownState();
  const abort = (): void => conversation.abort();
  signal.addEventListener("abort", abort, { once: true });
  conversation.reply(responses);
  const answer = toTurnAnswer(await conversation.next(), conversation, owner, suspended);
  signal.removeEventListener("abort", abort);
  return answer;
}

function toTurnAnswer(
  turn: Turn,
  conversation: Conversation,
  owner: string,
  suspended: SuspendedCalls,
): ProtocolAnswer {
  if (turn.kind === "answer") return turn.answer;
  const requestState = suspended.keep({ conversation, owner });
  if (requestState === null) {
    conversation.abort();
    return refuseRequest(ERROR.server, "too many requests wait for answers already");
  }
  const inputRequests = Object.fromEntries([...turn.questions].map(([key, one]) => [key, nameAsker(one)]));
  // Without a question the client only comes again, so that its patience does not run out.
  const asked = turn.questions.size === 0 ? {} : { inputRequests };
  return { kind: "result", result: { resultType: "input_required", ...asked, requestState } };
}

function unknownState(): ProtocolAnswer {
  return invalidParams("the requestState is unknown, was used already, has expired, or belongs to another request");
}

/** Sends a client the notifications that it asked for in this round. */
function tellRound(
  outlet: LeavableOutlet,
  { progressToken, logLevel }: ProtocolEnvelope,
  method: string,
  params: Params,
): void {
  if (method === "notifications/progress") {
    if (progressToken === null) return;
    outlet.send(writeNotification(method, { ...params, progressToken }));
    return;
  }
  const isLog = method === "notifications/message";
  if (isLog && (logLevel === null || !passesLevel(logLevel, params.level))) return;
  outlet.send(writeNotification(method, params));
}

function checkRetry(inputResponses: unknown, requestState: unknown): string | null {
  if (requestState !== undefined && typeof requestState !== "string") return "requestState is not a text";
  if (inputResponses === undefined) return null;
  if (!isObject(inputResponses)) return "inputResponses is not an object";
  return Object.values(inputResponses).every(isObject) ? null : "an entry of inputResponses is not an object";
}

/** A state is valid only for the same request of the same principal. */
function ownerOf(owner: string, { method, params }: IncomingRequest): string {
  const { inputResponses: _, requestState: __, _meta: ___, ...rest } = params;
  return hash("sha256", toCanonicalJson([owner, method, rest]).text);
}
