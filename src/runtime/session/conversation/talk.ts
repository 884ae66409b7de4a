import { MOST_WAITING } from "../../../core/agent/between-agents.ts";
import type { HistoryMessage } from "../../../core/call/message.ts";
import type { SessionEvents } from "../../../core/events/event-types.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import type { AgentEnd } from "../../agents/agent-node.ts";
import { describeEnd } from "../../agents/describe-end.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { EarlierHistory } from "../../loop/conversation-history.ts";
import { createRun, type Run } from "../../loop/run.ts";
import type { RunOptions, RunQueue, SendOptions } from "../../loop/run-queue.ts";
import { addTotals, fromUsage, NOTHING_USED } from "../../loop/run-totals.ts";
import type { TalkOptions } from "../options/session-options.ts";
import type { OpenSession } from "../tools/session.ts";
import type { ModelExchange } from "./exchange.ts";
import { createModelFinder, type LoopHeld, toLoopSetting } from "./loop-setting.ts";
import type { SessionAgents } from "./session-agents.ts";

/** A session that also talks to its model. */
export interface Talk {
  /**
   * Says something to the model and runs what it calls, until it is done. Await it for how it ended, or go through its
   * events as they happen. While another run goes on, it waits for that.
   */
  run(prompt: string, options?: RunOptions): Run;
  /** Says something without waiting: behind what goes on, or at once with `mode: "immediate"`. Returns the message's id. */
  send(prompt: string, options?: SendOptions): string;
  /** Ends the run that goes on, and drops what waits behind it. */
  abort(reason?: string): Promise<void>;
  /** Turns the older part of the conversation into a summary; false where there is nothing to shorten. */
  compact(signal?: AbortSignal): Promise<boolean>;
  /**
   * Takes back what was said from the event of that number on, with the reply that its answers belong to; returns how
   * many messages that were. Refused while a run goes on.
   */
  truncate(from: number): Promise<number>;
  /** What was said so far. */
  history(): Promise<readonly HistoryMessage[]>;
}

/** The talk of a session, and the part of it that agents below it use. */
export interface OwnTalk extends Talk {
  /** Tells the model that a background agent is over, at its next request or by a run of its own. */
  report(end: AgentEnd): void;
  /** Leaves a message of another agent for the next request; false where too many wait already. */
  tell(text: string): boolean;
  /** Makes the request again that was cut when the session's process ended; null where none was. */
  goOn(): Run | null;
}

/** What a session that is resumed has said already. */
export interface EarlierTalk extends EarlierHistory {
  /** The message of a run that was cut; null where none was. */
  readonly cutRun: SessionEvents["user.message"] | null;
  /**
   * Ends what was left open, before anything else is said. With a signal it waits for answers that are missing, until
   * that is aborted; without one it goes on without them.
   */
  goOn(signal: AbortSignal | null): Promise<void>;
  /** Before the session is closed: what waits for somebody goes on waiting when it is resumed. */
  suspend(): Promise<void>;
}

const NOTHING_SAID: EarlierTalk = {
  ...{ past: [], history: [], cutRun: null },
  goOn: async () => {},
  suspend: async () => {},
};

type Held = LoopHeld & Pick<OpenSession, "on" | "live" | "calls" | "settled">;

/** Milliseconds that a run waits for servers to start; their tools join later where they take longer. */
const START_PATIENCE = 30_000;

/** What a talk is made of. */
export interface TalkPorts {
  readonly session: Held;
  readonly exchange: Pick<ModelExchange, "payload" | "outcomes">;
  readonly given: () => TalkOptions;
  readonly around: Surroundings;
  readonly emit: Emitter["emit"];
  readonly agents: Pick<SessionAgents, "usedBelow" | "beside">;
  readonly earlier?: EarlierTalk | undefined;
}

export function createTalk(ports: TalkPorts): OwnTalk {
  const { session, around, earlier = NOTHING_SAID } = ports;
  let loaded: Promise<RunQueue> | null = null;
  let waiting = 0;
  const load = (): Promise<RunQueue> => {
    loaded ??= open(ports);
    return loaded;
  };
  return {
    run(prompt, options) {
      const messageId = options?.messageId ?? around.newId();
      const end = load().then((conversation) => conversation.start(messageId, prompt, options));
      end.catch(() => {});
      return createRun(messageId, end, session.on);
    },
    send(prompt, { mode = "enqueue", attachments, messageId = around.newId(), source } = {}) {
      const files = attachments === undefined ? {} : { attachments };
      void load().then((conversation) => {
        if (mode === "immediate") conversation.join(messageId, prompt, attachments, source);
        else conversation.start(messageId, prompt, files).catch(() => {});
      });
      return messageId;
    },
    abort: async (reason) => loaded?.then((conversation) => conversation.abort(reason)),
    report(end) {
      const kind = { type: "agent_completed", ...end } as const;
      const messageId = around.newId();
      void Promise.all([load(), import("../../loop/said.ts")]).then(([queue, { toNotice }]) => {
        const notice = toNotice(messageId, describeEnd(end), kind);
        // Whoever stopped one wants to see less work, not a run about it.
        if (end.status === "stopped") queue.leave(notice);
        else queue.notify(notice);
      });
    },
    tell(text) {
      if (waiting >= MOST_WAITING) return false;
      waiting += 1;
      void load().then((queue) => {
        queue.leave({ messageId: around.newId(), content: [{ type: "text", text }], source: "peer" });
        waiting = queue.unread;
      });
      return true;
    },
    goOn() {
      const { cutRun, goOn } = earlier;
      if (cutRun === null) return null;
      const end = load().then((queue) => queue.again(cutRun, goOn));
      end.catch(() => {});
      return createRun(cutRun.messageId, end, session.on);
    },
    truncate: async (from) => (await load()).truncate(from),
    compact: async (signal) => (await load()).compact(signal),
    history: async () => (loaded === null && earlier.past.length === 0 ? [] : (await load()).history),
  };
}

async function open({
  session,
  exchange,
  given,
  around,
  emit,
  agents,
  earlier = NOTHING_SAID,
}: TalkPorts): Promise<RunQueue> {
  const [{ createRunQueue }, { followHistory }, { createSidekick }] = await Promise.all([
    import("../../loop/run-queue.ts"),
    import("../../loop/conversation-history.ts"),
    import("../../agents/sidekick.ts"),
  ]);
  const history = followHistory(earlier, session.live);
  const findModel = createModelFinder(given, around);
  session.on("permission.requested", ({ toolName, reason }) => {
    void session.calls().then((calls) => calls.notify("permission_prompt", `${toolName}: ${reason}`));
  });
  const own = () => history(null);
  let judging = NOTHING_USED;
  session.on("*", ({ type, agent, data }) => {
    if (type === "assistant.usage" && agent === null && data.purpose !== undefined)
      judging = addTotals(judging, fromUsage(data));
  });
  const queue = createRunQueue({
    emit,
    newId: around.newId,
    stored: session.stored,
    begin: earlier.goOn,
    ready: (signal) => session.settled(AbortSignal.any([signal, AbortSignal.timeout(START_PATIENCE)])),
    history: own,
    hooks: session.calls,
    setting: async () =>
      toLoopSetting(session, exchange, await findModel(session), {
        ...{ given, around, emit, agent: null, history: own, usedBelow: () => addTotals(judging, agents.usedBelow()) },
      }),
  });
  const look = createSidekick({
    agent: () => session.config.sidekick,
    history: () => queue.history,
    ask: (agent, prompt, about) => agents.beside(agent, prompt, about, new AbortController().signal),
    leave: (text) => queue.leave({ messageId: around.newId(), content: [{ type: "text", text }], source: "peer" }),
  });
  session.on("*", ({ type, agent, data }) => {
    if (type === "assistant.turn_end" && agent === null) look(data.turnId);
  });
  return queue;
}
