import { fromSignal } from "../../../core/call/cancelling.ts";
import { type Cancellation, createCancellation } from "../../../runtime/executor/cancellation.ts";
import type { PeerClient } from "../../../sources/peer.ts";
import { createPassingMap } from "../../../system/passing.ts";
import type { Clock } from "../../../system/time/clock.ts";
import { callTool, noSuchTool, takesTasks } from "../methods/call-tool.ts";
import { answerCommon, listFor, type MethodPorts, unknownMethod } from "../methods/methods.ts";
import { createResourceWatches } from "../methods/resource-watches.ts";
import { tellRoots } from "../methods/roots.ts";
import { createRecordKeeper, type KnownClient, type RecordKeeper } from "../shared/record-keeper.ts";
import type { Remembered } from "../shared/session-record.ts";
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
import { answerTask } from "./answer-task.ts";
import { type ClientQuestions, createClientQuestions } from "./questions.ts";
import { type StandingStreams, sendAfterwards } from "./standing-streams.ts";
import { createTasks, type Tasks } from "./tasks.ts";
import { createTasksElsewhere, type TasksElsewhere } from "./tasks-elsewhere.ts";

/** A client of a version with sessions: known from its `initialize` on, and can be asked at any time. */
export interface LegacyFront extends Front {
  readonly era: "legacy";
  /** A stream was opened for it. */
  opened(): void;
  /** Null if the client cancelled the request: then it wants no answer. */
  answer(request: IncomingRequest, outlet: Outlet): Promise<ProtocolAnswer | null>;
  /** Messages that need no answer; `other` if another machine passes it on. */
  take(message: Extract<Incoming, { kind: "notification" | "response" }>, from?: "client" | "other"): void;
  /** Takes over what another machine learned about the client. */
  adopt(record: Remembered): void;
  /** Whether nothing here would be missed if it rested: no task, question or watched resource. */
  readonly canRest: boolean;
  /** What to remember while it rests. */
  remember(): Remembered;
  /** Tells the client if the tools are others than it was shown. Digest of what it knows by then; null if it never asked. */
  catchUp(): string | null;
}

export interface LegacyFrontOptions extends MethodPorts {
  readonly id: string;
  readonly view: View;
  readonly version: string;
  readonly capabilities: Params;
  /** Its streams, which outlive this. */
  readonly streams: StandingStreams;
  /** What was remembered of it while it rested; null if it did not. */
  readonly remembered: Remembered | null;
  readonly server: ServerInfo;
  readonly clock: Clock;
  /** Where its state is stored for other machines; null if it ends with its connection. */
  readonly share: SessionShare | null;
  readonly onError: (text: string, error: unknown) => void;
}

/** Milliseconds for the last messages to servers after a client has left. */
const PARTING = 2_000;

export const createLegacyFront = (options: LegacyFrontOptions): LegacyFront => new SessionFront(options);

class SessionFront implements LegacyFront {
  readonly era = "legacy";
  readonly id: string;
  readonly view: View;
  readonly #streams: StandingStreams;
  shown: Offer | null = null;
  calls = 0;
  readonly #options: LegacyFrontOptions;
  readonly #questions: ClientQuestions;
  readonly #record: RecordKeeper | null;
  readonly #inFlight = createPassingMap<RequestId, Cancellation>();
  readonly #watches = createResourceWatches(this);
  readonly #tasks: Tasks;
  readonly #taskPorts: Parameters<typeof answerTask>[0];
  readonly #stopEvents: () => void;
  /** The tools that it was told to ask for, after it had been shown these. */
  #told: { readonly after: Offer | null; readonly list: string } | null = null;
  #level: LogLevel | null = null;
  #isInitialized = false;
  #isIntroduced = false;
  #closed: Promise<void> | null = null;

  constructor(options: LegacyFrontOptions) {
    const { id, view, capabilities, clock, streams, share, remembered } = options;
    this.#options = options;
    this.id = id;
    this.view = view;
    this.#streams = streams;
    this.#questions = createClientQuestions(id, share?.questions ?? null);
    this.#record = share === null ? null : createRecordKeeper(share, () => this.#known(), options.onError);
    this.#stopEvents = view.on((event) => this.#onEvent(event));
    this.#tasks = createTasks({
      ...{ clock, id, capabilities, prefix: share?.relay.prefix ?? "" },
      stored: share === null ? null : createTaskRows(share, options.onError),
      standing: () => (streams.size > 0 ? view.asked : null),
      notify: (...given) => this.#tell(streams.atOnce, ...given),
    });
    this.#taskPorts = {
      tasks: this.#tasks,
      start: (params) => this.#callAsTask(params),
      elsewhere: share === null ? null : this.#elsewhere(share),
    };
    // Servers were introduced to a client that rested, and their lists were watched for it.
    this.#isIntroduced = remembered !== null;
    const known = remembered ?? share?.restored ?? null;
    if (known !== null) this.adopt(known);
  }

  get isBusy(): boolean {
    return this.#inFlight.size > 0 || this.#tasks.isBusy;
  }

  get canRest(): boolean {
    // Also such as have ended, that can be asked about.
    const tasks = this.#tasks.list(undefined);
    const hasTasks = tasks.kind === "result" && (tasks.result.tasks as readonly unknown[]).length > 0;
    return !(this.isBusy || this.#watches.uris.length > 0 || hasTasks || this.#questions.areThereAny);
  }

  remember(): Remembered {
    const { isInitialized, level, promotions } = this.#known();
    return { isInitialized, level, promotions, watched: [], shown: this.#digest() };
  }

  /** Of the tools that it was shown last, here or elsewhere, or was told of since. */
  #digest(): string | null {
    const shown = this.shown === null ? null : listFor(this, this.shown);
    return this.#record?.digest(this.#told?.after === this.shown ? this.#told.list : shown) ?? null;
  }

  catchUp(): string | null {
    if (this.#digest() !== null) this.#tellIfOutdated();
    return this.#digest();
  }

  /** Reports what changed while the client listened to another machine, or to none. */
  opened(): void {
    const { share, remembered } = this.#options;
    if (share?.restored != null || remembered !== null) {
      this.#tellIfOutdated();
      // One that rested was told of these.
      const missed = remembered === null ? ["prompts", "resources"] : [];
      for (const what of missed) this.#tell(this.#streams, `notifications/${what}/list_changed`, {});
    }
    this.#introduce();
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
      // Without a store there is nothing to wait for.
      if (this.#options.share !== null) await this.#refresh(method, params);
      const answer = await this.#dispatch(method, params, { cancelling, client, meta, outlet });
      if (this.#record !== null) await this.#record.note(method);
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
        return void (found === undefined ? passOn() : found.cancel("user"));
      }
      case "notifications/initialized":
        this.#initialized();
        return void this.#record?.note("notifications/initialized");
      case "notifications/roots/list_changed":
        tellRoots(this.view, this.#options.capabilities, this.view.servers());
        passOn();
    }
  }

  adopt(record: Remembered): void {
    const { level, watched } = record;
    this.#record?.knows(record);
    if (level !== null && level !== this.#level) this.#setLevel(level);
    if (record.isInitialized && !this.#isInitialized) this.#initialized();
    this.view.session.joinPromotions(record.promotions);
    this.#watches.follow(watched, this.#parting());
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
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
    this.view.asked = this.#toClient(this.#streams.atOnce, null);
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

  #elsewhere(share: SessionShare): TasksElsewhere {
    const tasks = this.#tasks;
    return createTasksElsewhere({
      ...{ share, tasks },
      adopt: (taskId, row, params) => tasks.adopt(taskId, row, params, this.#toWork(params)),
    });
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
      (this.#options.version === TASK_VERSION ? answerTask(this.#taskPorts, method, params, exchange) : null) ??
      this.#answerOwn(method, params, exchange) ??
      answerCommon(this, method, params, exchange, this.#options) ??
      unknownMethod(method)
    );
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
    if (event.kind === "tools") return void this.#tellIfOutdated();
    if (event.kind === "opened") {
      if (this.#isIntroduced) tellRoots(this.view, this.#options.capabilities, [event.server]);
      return;
    }
    const { server: from, method, params } = event;
    switch (method) {
      case "notifications/prompts/list_changed":
      case "notifications/resources/list_changed":
        return void this.#tell(this.#streams, method, {});
      case "notifications/resources/updated":
        if (this.#watches.wants(params.uri, from)) this.#tell(this.#streams, method, params);
        return;
      case "notifications/message":
      case "notifications/elicitation/complete":
        // A message that belongs to no request may be about another client's.
        if (this.view.peers.isAlone(from)) this.#tell(this.#streams, method, params);
    }
  }

  /** A client that never asked for tools, here or on another machine, has nothing that could be outdated. */
  #tellIfOutdated(): void {
    const now = listFor(this, this.view.offer());
    const isOutdated = this.shown === null ? this.#record?.isOutdated(now) === true : now !== listFor(this, this.shown);
    if (!isOutdated || (this.#told?.after === this.shown && this.#told.list === now)) return;
    this.#told = { after: this.shown, list: now };
    this.#tell(this.#streams, "notifications/tools/list_changed", {});
  }

  /** Servers that connected before the client could be asked may already have wanted its roots. */
  #introduce(): void {
    if (this.#isIntroduced || !this.#isInitialized || this.#streams.size === 0) return;
    this.#isIntroduced = true;
    tellRoots(this.view, this.#options.capabilities, this.view.servers());
  }

  /** Written out: there is one per request, and adding to a copy takes longer than everything else here. */
  #toClient(outlet: Outlet, progressToken: unknown, onUnasked: () => void = () => {}): PeerClient {
    const { id, capabilities } = this.#options;
    return {
      id,
      capabilities,
      era: "legacy",
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
      sendAfterwards(text, { id: this.id, streams: this.#streams }, this.#options.share?.machines ?? null);
  }
}
