import { fromSignal } from "../../core/call/cancelling.ts";
import { type Cancellation, createCancellation } from "../../runtime/executor/cancellation.ts";
import { createChangeListeners } from "../../sources/parts/change-listeners.ts";
import type { PeerClient } from "../../sources/peer.ts";
import type { Clock } from "../../system/time/clock.ts";
import { callTool, takesTasks, unknownTool } from "./call-tool.ts";
import { finishAnswer, type ServerInfo } from "./finish.ts";
import type { Exchange, Front } from "./front.ts";
import {
  type Incoming,
  type IncomingRequest,
  invalidParams,
  isObject,
  type Params,
  type ProtocolAnswer,
  type RequestId,
  refuse,
  writeNotification,
} from "./json-rpc.ts";
import { answerCommon, listFor, type MethodPorts, unknownMethod } from "./methods.ts";
import type { Offer } from "./offer.ts";
import type { Outlet } from "./outlet.ts";
import { passOn } from "./pass-on.ts";
import type { PeerServer } from "./peer-servers.ts";
import { ERROR, isLogLevel, type LogLevel, META, passesLevel, TASK_VERSION } from "./protocol.ts";
import { createQuestions } from "./questions.ts";
import { findOwners, notFound } from "./resources.ts";
import { tellRoots } from "./roots.ts";
import { createStandingStreams, type StandingStreams } from "./standing-streams.ts";
import { createTasks } from "./tasks.ts";
import type { View, ViewEvent } from "./view.ts";

/** A client of the versions with sessions: it is known from its `initialize` on, and can be asked at any time. */
export interface LegacyFront extends Front {
  readonly era: "legacy";
  readonly id: string;
  readonly version: string;
  readonly streams: StandingStreams;
  /** Null when the client took the request back: it wants no answer then. */
  answer(request: IncomingRequest, outlet: Outlet): Promise<ProtocolAnswer | null>;
  /** Whatever needs no answer. */
  take(message: Extract<Incoming, { kind: "notification" | "response" }>): void;
}

export interface LegacyFrontOptions extends MethodPorts {
  readonly id: string;
  readonly view: View;
  readonly version: string;
  readonly capabilities: Params;
  readonly server: ServerInfo;
  readonly clock: Clock;
  readonly onError: (text: string, error: unknown) => void;
}

/** Resources that one client may watch. */
const MOST_WATCHED = 1_000;

export function createLegacyFront(options: LegacyFrontOptions): LegacyFront {
  const { id, view, version, capabilities, server, onError } = options;
  const questions = createQuestions();
  const streams = createStandingStreams(() => introduce());
  const inFlight = new Map<RequestId, Cancellation>();
  const watched = new Map<string, PeerServer>();
  let shown: Offer | null = null;
  let level: LogLevel | null = null;
  let isInitialized = false;
  let isIntroduced = false;
  let closed: Promise<void> | null = null;

  const tell = (outlet: Outlet, method: string, params: Params): void => {
    if (method === "notifications/message" && level !== null && !passesLevel(level, params.level)) return;
    outlet.send(writeNotification(method, params));
  };
  const toClient = (outlet: Outlet, progressToken: unknown): PeerClient => ({
    id,
    capabilities,
    ask: (...given) => questions.ask(outlet, ...given),
    notify(method, params) {
      if (method !== "notifications/progress") tell(outlet, method, params);
      else if (isToken(progressToken)) tell(outlet, method, { ...params, progressToken });
    },
  });
  const onEvent = (event: ViewEvent): void => {
    if (event.kind === "tools") {
      // Whoever never asked for tools has nothing that could be outdated.
      if (shown !== null && listFor(front, view.offer()) !== listFor(front, shown))
        tell(streams, "notifications/tools/list_changed", {});
      return;
    }
    if (event.kind === "opened") {
      if (isIntroduced) tellRoots(view, capabilities, [event.server]);
      return;
    }
    const { server: from, method, params } = event;
    switch (method) {
      case "notifications/prompts/list_changed":
      case "notifications/resources/list_changed":
        tell(streams, method, {});
        return;
      case "notifications/resources/updated": {
        const uri = typeof params.uri === "string" ? params.uri : "";
        if (watched.get(uri)?.peer === from.peer) tell(streams, method, params);
        return;
      }
      case "notifications/message":
      case "notifications/elicitation/complete":
        // What a server says about no request in particular may be about another client's.
        if (view.peers.isAlone(from)) tell(streams, method, params);
    }
  };
  const stop = view.on(onEvent);
  const closing = createChangeListeners();
  /** Servers that were there before the client could be asked may have wanted its roots already. */
  const introduce = (): void => {
    if (isIntroduced || !isInitialized || streams.size === 0) return;
    isIntroduced = true;
    tellRoots(view, capabilities, view.servers());
  };
  const tasks = createTasks({
    clock: options.clock,
    ...{ id, capabilities },
    standing: () => (streams.size > 0 ? view.asked : null),
    notify: (...given) => tell(streams.atOnce, ...given),
  });

  const watch = async ({ uri }: Params, exchange: Exchange): Promise<ProtocolAnswer> => {
    if (typeof uri !== "string") return invalidParams("resources/subscribe needs a uri");
    if (watched.size >= MOST_WATCHED) return refuse(ERROR.server, `a client may watch ${MOST_WATCHED} resources`);
    const owner = (await findOwners(front, uri))[0];
    if (owner === undefined) return notFound(uri);
    const answer = await passOn(owner, "resources/subscribe", { uri }, exchange);
    if (answer.kind !== "error") watched.set(uri, owner);
    return answer;
  };
  const unwatch = async ({ uri }: Params, exchange: Exchange): Promise<ProtocolAnswer> => {
    if (typeof uri !== "string") return invalidParams("resources/unsubscribe needs a uri");
    const owner = watched.get(uri) ?? (await findOwners(front, uri))[0];
    watched.delete(uri);
    return owner === undefined ? notFound(uri) : passOn(owner, "resources/unsubscribe", { uri }, exchange);
  };
  const setLevel = (wish: unknown): ProtocolAnswer => {
    if (!isLogLevel(wish)) return invalidParams("logging/setLevel needs one of the known levels");
    level = wish;
    for (const one of view.servers())
      void view.peers.setLevel(one, wish, AbortSignal.timeout(10_000)).catch(() => {
        // A server that cannot be told now is told when it is back.
      });
    return { kind: "result", result: {} };
  };
  /** Nothing runs unless it runs as a task: what a client sees as refused it may do otherwise. */
  const callAsTask = async ({ task, ...params }: Params, { meta }: Exchange): Promise<ProtocolAnswer> => {
    const isFit = await takesTasks(front, params.name);
    if (isFit === null) return unknownTool(view.offer(), String(params.name));
    if (!isFit) return refuse(ERROR.method, "this tool cannot be called as a task: call it without `task`");
    return tasks.start(task, meta?.progressToken, (client, signal) =>
      callTool(front, params, { cancelling: fromSignal(signal), client, meta }, options.running),
    );
  };
  const dispatch = (method: string, params: Params, exchange: Exchange): Promise<ProtocolAnswer> | ProtocolAnswer => {
    if (version === TASK_VERSION) {
      switch (method) {
        case "tools/call":
          if (params.task !== undefined) return callAsTask(params, exchange);
          break;
        case "tasks/get":
          return tasks.get(params.taskId);
        case "tasks/result":
          return tasks.result(params.taskId, exchange.client, exchange.cancelling.signal);
        case "tasks/list":
          return tasks.list(params.cursor);
        case "tasks/cancel":
          return tasks.cancel(params.taskId);
      }
    }
    switch (method) {
      case "ping":
        return { kind: "result", result: {} };
      case "logging/setLevel":
        return setLevel(params.level);
      case "resources/subscribe":
        return watch(params, exchange);
      case "resources/unsubscribe":
        return unwatch(params, exchange);
      default:
        return answerCommon(front, method, params, exchange, options) ?? unknownMethod(method);
    }
  };

  const front: LegacyFront = {
    id,
    era: "legacy",
    view,
    version,
    streams,
    calls: 0,
    get shown() {
      return shown;
    },
    set shown(offer) {
      shown = offer;
    },
    get isBusy() {
      return inFlight.size > 0 || tasks.isBusy;
    },
    onClose: closing.add,
    async answer({ id: requestId, method, params }, outlet) {
      if (inFlight.has(requestId)) return refuse(ERROR.request, "a request with this id is still being worked on");
      const cancelling = createCancellation();
      inFlight.set(requestId, cancelling);
      try {
        const meta = isObject(params._meta) ? params._meta : undefined;
        const client = toClient(outlet, meta?.progressToken);
        const passed = level === null ? meta : { ...meta, [META.logLevel]: level };
        const answer = await dispatch(method, params, { cancelling, client, meta: passed, outlet });
        return cancelling.isCancelled && closed === null ? null : finishAnswer("legacy", method, answer, server);
      } catch (error) {
        onError(`${method} failed`, error);
        return refuse(ERROR.internal, "Internal error");
      } finally {
        inFlight.delete(requestId);
      }
    },
    take(message) {
      if (message.kind === "response") {
        questions.settle(message);
        return;
      }
      const { requestId } = message.params;
      switch (message.method) {
        case "notifications/cancelled":
          if (isToken(requestId)) inFlight.get(requestId)?.cancel("user");
          return;
        case "notifications/initialized":
          isInitialized = true;
          view.asked = toClient(streams.atOnce, null);
          introduce();
          return;
        case "notifications/roots/list_changed":
          tellRoots(view, capabilities, view.servers());
      }
    },
    close() {
      closed ??= (async () => {
        closing.tell();
        closing.clear();
        stop();
        questions.close();
        tasks.close();
        for (const cancelling of inFlight.values()) cancelling.cancel("shutdown");
        const signal = AbortSignal.timeout(2_000);
        const client = toClient({ send: () => false }, null);
        for (const [uri, owner] of watched)
          void passOn(
            owner,
            "resources/unsubscribe",
            { uri },
            { cancelling: fromSignal(signal), client, meta: undefined },
          ).catch(() => {});
        watched.clear();
        await view.close();
      })();
      return closed;
    },
  };
  return front;
}

function isToken(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}
