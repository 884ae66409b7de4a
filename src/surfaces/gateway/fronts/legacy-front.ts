import { fromSignal } from "../../../core/call/cancelling.ts";
import { type Cancellation, createCancellation } from "../../../runtime/executor/cancellation.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import type { PeerClient } from "../../../sources/peer.ts";
import type { Clock } from "../../../system/time/clock.ts";
import { callTool, noSuchTool, takesTasks } from "../methods/call-tool.ts";
import { answerCommon, listFor, type MethodPorts, unknownMethod } from "../methods/methods.ts";
import { createResourceWatches } from "../methods/resource-watches.ts";
import { tellRoots } from "../methods/roots.ts";
import { createRecordKeeper, type KnownClient, type RecordKeeper } from "../shared/record-keeper.ts";
import type { SessionRecord } from "../shared/session-record.ts";
import type { SessionShare } from "../shared/shared.ts";
import { createTaskRows } from "../shared/task-rows.ts";
import type { Offer } from "../tools/offer.ts";
import type { Exchange, Front } from "../views/front.ts";
import type { View, ViewEvent } from "../views/view.ts";
import { finishAnswer, type ServerInfo } from "../wire/finish.ts";
import {
  type Incoming,
  type IncomingRequest,
  invalidParams,
  isId,
  isObject,
  type Params,
  type ProtocolAnswer,
  type RequestId,
  refuseRequest,
  writeNotification,
} from "../wire/json-rpc.ts";
import type { Outlet } from "../wire/outlet.ts";
import { ERROR, isLogLevel, type LogLevel, META, passesLevel, TASK_VERSION } from "../wire/protocol.ts";
import { isFailedAnswer, isStoreAway, STORE_AWAY, UNASKED } from "../wire/store-away.ts";
import { type ClientQuestions, createClientQuestions } from "./questions.ts";
import { createStandingStreams, type StandingStreams, sendAfterwards } from "./standing-streams.ts";
import { createTasks, type Tasks } from "./tasks.ts";
import { createTasksElsewhere, type TasksElsewhere } from "./tasks-elsewhere.ts";

/** A client of a version with sessions: known from its `initialize` on, and can be asked at any time. */
export interface LegacyFront extends Front {
  readonly era: "legacy";
  readonly id: string;
  readonly version: string;
  readonly streams: StandingStreams;
  /** Null if the client cancelled the request: then it wants no answer. */
  answer(request: IncomingRequest, outlet: Outlet): Promise<ProtocolAnswer | null>;
  /** Messages that need no answer; `other` if another machine passes it on. */
  take(message: Extract<Incoming, { kind: "notification" | "response" }>, from?: "client" | "other"): void;
  /** Takes over what another machine learned about the client. */
  adopt(record: SessionRecord): void;
}

export interface LegacyFrontOptions extends MethodPorts {
  readonly id: string;
  readonly view: View;
  readonly version: string;
  readonly capabilities: Params;
  readonly server: ServerInfo;
  readonly clock: Clock;
  /** Where its state is stored for other machines; null if it ends with its connection. */
  readonly share: SessionShare | null;
  readonly onError: (text: string, error: unknown) => void;
}

const ABOUT_TASKS: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "tasks/cancel"]);

/** Milliseconds for the last messages to servers after a client has left. */
const PARTING = 2_000;

export function createLegacyFront(options: LegacyFrontOptions): LegacyFront {
  return new SessionFront(options);
}

class SessionFront implements LegacyFront {
  readonly era = "legacy";
  readonly id: string;
  readonly view: View;
  readonly version: string;
  readonly streams = createStandingStreams(() => {
    this.#catchUp();
    this.#introduce();
  });
  shown: Offer | null = null;
  calls = 0;
  readonly #options: LegacyFrontOptions;
  readonly #questions: ClientQuestions;
  readonly #record: RecordKeeper | null;
  readonly #inFlight = new Map<RequestId, Cancellation>();
  readonly #watches = createResourceWatches(this);
  readonly #closing = createChangeListeners();
  readonly #tasks: Tasks;
  readonly #elsewhere: TasksElsewhere | null;
  readonly #stopEvents: () => void;
  #level: LogLevel | null = null;
  #isInitialized = false;
  #isIntroduced = false;
  #closed: Promise<void> | null = null;

  constructor(options: LegacyFrontOptions) {
    const { id, view, version, capabilities, clock } = options;
    this.#options = options;
    this.id = id;
    this.view = view;
    this.version = version;
    const { share } = options;
    this.#questions = createClientQuestions(id, share?.questions ?? null);
    this.#record = share === null ? null : createRecordKeeper(share, () => this.#known(), options.onError);
    this.#stopEvents = view.on((event) => this.#onEvent(event));
    this.#tasks = createTasks({
      ...{ clock, id, capabilities, prefix: share?.relay.prefix ?? "" },
      stored: share === null ? null : createTaskRows(share, options.onError),
      standing: () => (this.streams.size > 0 ? view.asked : null),
      notify: (...given) => this.#tell(this.streams.atOnce, ...given),
    });
    this.#elsewhere =
      share === null
        ? null
        : createTasksElsewhere({
            ...{ share, tasks: this.#tasks },
            adopt: (taskId, row, params) => this.#tasks.adopt(taskId, row, params, this.#toWork(params)),
          });
    if (share !== null && share.restored !== null) this.adopt(share.restored);
  }

  get isBusy(): boolean {
    return this.#inFlight.size > 0 || this.#tasks.isBusy;
  }

  onClose(listener: () => void): () => void {
    return this.#closing.add(listener);
  }

  async answer({ id, method, params }: IncomingRequest, outlet: Outlet): Promise<ProtocolAnswer | null> {
    if (this.#inFlight.has(id)) return refuseRequest(ERROR.request, "a request with this id is still being worked on");
    const cancelling = createCancellation();
    this.#inFlight.set(id, cancelling);
    try {
      const meta = this.#passedMeta(params);
      let isUnasked = false;
      const client = this.#toClient(outlet, meta?.progressToken, () => {
        isUnasked = true;
      });
      await this.#refresh(method, params);
      const answer = await this.#dispatch(method, params, { cancelling, client, meta, outlet });
      await this.#record?.note(method);
      if (cancelling.isCancelled && this.#closed === null) return null;
      // Its server needed an answer, and failed without one.
      if (isUnasked && isFailedAnswer(answer)) return STORE_AWAY;
      return finishAnswer("legacy", method, answer, this.#options.server);
    } catch (error) {
      if (isStoreAway(error)) return STORE_AWAY;
      this.#options.onError(`${method} failed`, error);
      return refuseRequest(ERROR.internal, "Internal error");
    } finally {
      this.#inFlight.delete(id);
    }
  }

  take(message: Extract<Incoming, { kind: "notification" | "response" }>, from: "client" | "other" = "client"): void {
    const share = from === "client" ? this.#options.share : null;
    if (message.kind === "response") {
      const { id, answer } = message;
      if (!this.#questions.settle(message) && share !== null)
        share.questions.answer(this.id, String(id), answer).catch((error: unknown) => this.#failed("an answer", error));
      return;
    }
    const { requestId } = message.params;
    const passOn = (): void => share?.machines.tellOthers({ kind: "said", session: this.id, message });
    switch (message.method) {
      case "notifications/cancelled": {
        const found = isId(requestId) ? this.#inFlight.get(requestId) : undefined;
        if (found === undefined) passOn();
        else found.cancel("user");
        return;
      }
      case "notifications/initialized":
        this.#initialized();
        return void this.#record?.note("notifications/initialized");
      case "notifications/roots/list_changed":
        tellRoots(this.view, this.#options.capabilities, this.view.servers());
        passOn();
    }
  }

  adopt(record: SessionRecord): void {
    const { level, watched, promotions } = record;
    this.#record?.knows(record);
    if (level !== null && level !== this.#level) this.#setLevel(level);
    if (record.isInitialized && !this.#isInitialized) this.#initialized();
    this.view.session.joinPromotions(promotions);
    const exchange = this.#parting();
    for (const uri of this.#watches.uris.filter((one) => !watched.includes(one)))
      void this.#watches.remove(uri, exchange).catch(() => {});
    for (const uri of watched.filter((one) => !this.#watches.uris.includes(one)))
      void this.#watches.add(uri, exchange).catch(() => {});
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.emit();
      this.#closing.clear();
      this.#stopEvents();
      this.#questions.close();
      this.#tasks.close();
      for (const cancelling of this.#inFlight.values()) cancelling.cancel("shutdown");
      this.#watches.close(this.#parting());
      await this.view.close();
    })();
    return this.#closed;
  }

  #initialized(): void {
    this.#isInitialized = true;
    this.view.asked = this.#toClient(this.streams.atOnce, null);
    this.#introduce();
  }

  /** What this machine knows about the client. */
  #known(): KnownClient {
    return {
      isInitialized: this.#isInitialized,
      level: this.#level,
      watched: this.#watches.uris,
      calls: this.calls,
      promotions: this.view.session.promotions,
      list: this.shown === null ? null : listFor(this, this.shown),
    };
  }

  /** Another machine may have loaded what is listed or called here. */
  async #refresh(method: string, { name }: Params): Promise<void> {
    const { share } = this.#options;
    if (share === null || (method !== "tools/list" && method !== "tools/call")) return;
    if (method === "tools/call") {
      const offer = this.view.offer();
      if (typeof name !== "string" || offer.request.find(offer.toWireName(name)).kind === "found") return;
    }
    const record = await share.load().catch((error: unknown) => this.#failed("what other machines know", error));
    if (record) this.adopt(record);
  }

  #failed(what: string, error: unknown): null {
    this.#options.onError(`${what} of ${this.view.session.id} could not be passed on`, error);
    return null;
  }

  /** For messages to servers that nobody waits for. */
  #parting(): Exchange {
    const client = this.#toClient({ send: () => false }, null);
    return { cancelling: fromSignal(AbortSignal.timeout(PARTING)), client, meta: undefined };
  }

  #dispatch(method: string, params: Params, exchange: Exchange): Promise<ProtocolAnswer> | ProtocolAnswer {
    return (
      (this.version === TASK_VERSION ? this.#answerTask(method, params, exchange) : null) ??
      this.#answerOwn(method, params, exchange) ??
      answerCommon(this, method, params, exchange, this.#options) ??
      unknownMethod(method)
    );
  }

  #answerTask(method: string, params: Params, exchange: Exchange): Promise<ProtocolAnswer> | ProtocolAnswer | null {
    if (method === "tools/call") return params.task === undefined ? null : this.#callAsTask(params);
    if (method === "tasks/list") return this.#listTasks(params.cursor);
    if (this.#elsewhere === null || !ABOUT_TASKS.has(method) || this.#tasks.has(params.taskId))
      return this.#answerOwnTask(method, params, exchange);
    return this.#elsewhere
      .answer(method, params, exchange.outlet ?? {})
      .then((answer) => answer ?? this.#answerOwnTask(method, params, exchange) ?? unknownMethod(method));
  }

  #answerOwnTask(method: string, { taskId }: Params, exchange: Exchange) {
    switch (method) {
      case "tasks/get":
        return this.#tasks.get(taskId);
      case "tasks/result":
        return this.#tasks.result(taskId, exchange.client, exchange.cancelling.signal);
      case "tasks/cancel":
        return this.#tasks.cancel(taskId);
      default:
        return null;
    }
  }

  async #listTasks(cursor: unknown): Promise<ProtocolAnswer> {
    const own = this.#tasks.list(cursor);
    const others = own.kind === "result" ? ((await this.#elsewhere?.list()) ?? []) : [];
    return own.kind !== "result" || others.length === 0
      ? own
      : { kind: "result", result: { tasks: [...(own.result.tasks as readonly Params[]), ...others] } };
  }

  #answerOwn(method: string, params: Params, exchange: Exchange): Promise<ProtocolAnswer> | ProtocolAnswer | null {
    switch (method) {
      case "ping":
        return { kind: "result", result: {} };
      case "logging/setLevel":
        return this.#setLevel(params.level);
      case "resources/subscribe":
        return this.#watches.add(params.uri, exchange);
      case "resources/unsubscribe":
        return this.#watches.remove(params.uri, exchange);
      default:
        return null;
    }
  }

  /** Nothing runs before the task is accepted: a client that sees a refusal may try another way. */
  async #callAsTask({ task, ...params }: Params): Promise<ProtocolAnswer> {
    const isFit = await takesTasks(this, params.name);
    if (isFit === null) return noSuchTool(this.view.offer(), String(params.name));
    if (!isFit) return refuseRequest(ERROR.method, "this tool cannot be called as a task: call it without `task`");
    return this.#tasks.start(task, params, this.#toWork(params));
  }

  #toWork(params: Params): Parameters<Tasks["start"]>[2] {
    const meta = this.#passedMeta(params);
    return (client, signal, outlet) =>
      callTool(this, params, { cancelling: fromSignal(signal), client, meta, outlet }, this.#options.running);
  }

  /** The `_meta` of a request, with the log level that the client wants. */
  #passedMeta({ _meta }: Params): Params | undefined {
    const meta = isObject(_meta) ? _meta : undefined;
    return this.#level === null ? meta : { ...meta, [META.logLevel]: this.#level };
  }

  #setLevel(wish: unknown): ProtocolAnswer {
    if (!isLogLevel(wish)) return invalidParams("logging/setLevel needs one of the known levels");
    this.#level = wish;
    this.view.setLevel(wish);
    return { kind: "result", result: {} };
  }

  #onEvent(event: ViewEvent): void {
    if (event.kind === "tools") {
      if (this.#isOutdated()) this.#tell(this.streams, "notifications/tools/list_changed", {});
      return;
    }
    if (event.kind === "opened") {
      if (this.#isIntroduced) tellRoots(this.view, this.#options.capabilities, [event.server]);
      return;
    }
    const { server: from, method, params } = event;
    switch (method) {
      case "notifications/prompts/list_changed":
      case "notifications/resources/list_changed":
        return void this.#tell(this.streams, method, {});
      case "notifications/resources/updated":
        if (this.#watches.wants(params.uri, from)) this.#tell(this.streams, method, params);
        return;
      case "notifications/message":
      case "notifications/elicitation/complete":
        // A message that belongs to no request may be about another client's.
        if (this.view.peers.isAlone(from)) this.#tell(this.streams, method, params);
    }
  }

  /** A client that never asked for tools, here or on another machine, has nothing that could be outdated. */
  #isOutdated(): boolean {
    const now = listFor(this, this.view.offer());
    return this.shown === null ? this.#record?.isOutdated(now) === true : now !== listFor(this, this.shown);
  }

  /** Reports what changed while the client listened to another machine, or to none. */
  #catchUp(): void {
    if (this.#options.share?.restored == null) return;
    if (this.#isOutdated()) this.#tell(this.streams, "notifications/tools/list_changed", {});
    for (const what of ["prompts", "resources"]) this.#tell(this.streams, `notifications/${what}/list_changed`, {});
  }

  /** Servers that connected before the client could be asked may already have wanted its roots. */
  #introduce(): void {
    if (this.#isIntroduced || !this.#isInitialized || this.streams.size === 0) return;
    this.#isIntroduced = true;
    tellRoots(this.view, this.#options.capabilities, this.view.servers());
  }

  #toClient(outlet: Outlet, progressToken: unknown, onUnasked: () => void = () => {}): PeerClient {
    const { id, capabilities } = this.#options;
    return {
      ...{ id, capabilities, era: "legacy" },
      ask: async (...given) => {
        const answers = await this.#questions.ask(outlet, ...given);
        if ([...answers.values()].includes(UNASKED)) onUnasked();
        return answers;
      },
      notify: (method, params) => {
        if (method !== "notifications/progress") this.#tell(outlet, method, params);
        else if (isId(progressToken)) this.#tell(outlet, method, { ...params, progressToken });
      },
    };
  }

  #tell(outlet: Outlet, method: string, params: Params): void {
    if (method === "notifications/message" && this.#level !== null && !passesLevel(this.#level, params.level)) return;
    const text = writeNotification(method, params);
    if (!outlet.send(text) && method === "notifications/elicitation/complete")
      sendAfterwards(text, this, this.#options.share?.machines ?? null);
  }
}
