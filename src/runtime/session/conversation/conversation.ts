import type { SessionEvents } from "../../../core/events/event-types.ts";
import type { AgentEnd } from "../../agents/agent-node.ts";
import { describeEnd } from "../../agents/describe-end.ts";
import type { EarlierHistory } from "../../loop/conversation-history.ts";
import { createRun } from "../../loop/run.ts";
import type { RunQueue } from "../../loop/run-queue.ts";
import { addTotals, fromUsage, NOTHING_USED } from "../../loop/run-totals.ts";
import type { Run } from "../../loop/run-types.ts";
import type { OpenSession } from "../tools/session.ts";
import type { ConversationPlace } from "./child-ports.ts";
import type { SessionRuns } from "./conversation-types.ts";
import type { ModelExchange } from "./exchange.ts";
import type { Inbox } from "./inbox.ts";
import { type AskingSession, createModelFinder, toLoopSetting } from "./loop-setting.ts";
import type { SessionAgents } from "./session-agents.ts";

/** The conversation of a session that may be resumed. */
export interface OwnConversation extends SessionRuns {
  /** Makes the request again that was cut when the session's process ended; null where none was. */
  goOn(): Run | null;
}

/** What was said in a session before it was resumed. */
export interface EarlierConversation extends EarlierHistory {
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

const NOTHING_SAID: EarlierConversation = {
  ...{ past: [], history: [], cutRun: null },
  goOn: async () => {},
  suspend: async () => {},
};

/** Milliseconds that a run waits for servers to start; their tools join later where they take longer. */
const START_PATIENCE = 30_000;

/** What a conversation is made of. */
export interface ConversationPorts extends ConversationPlace {
  readonly session: AskingSession & Pick<OpenSession, "on" | "live" | "calls" | "settled" | "interrupt">;
  readonly exchange: Pick<ModelExchange, "payload" | "payloadAgain" | "outcomes">;
  readonly agents: Pick<SessionAgents, "usedBelow" | "beside">;
  readonly inbox: Inbox;
  readonly earlier?: EarlierConversation | undefined;
}

export function createConversation(ports: ConversationPorts): OwnConversation {
  const { session, setting, around, inbox, earlier = NOTHING_SAID } = ports;
  let loaded: Promise<RunQueue> | null = null;
  const load = (): Promise<RunQueue> => {
    loaded ??= open(ports);
    return loaded;
  };
  const report = async (end: AgentEnd): Promise<void> => {
    const messageId = around.newId();
    const [queue, { toNotice }] = await Promise.all([load(), import("../../loop/input-message.ts")]);
    const notice = toNotice(messageId, (setting.describeEnd ?? describeEnd)(end), { type: "agent_completed", ...end });
    // Stopping an agent asks for less work, not for a run about it.
    if (end.status === "stopped") queue.leave(notice);
    else queue.notify(notice);
  };
  const takeMessage = async (text: string): Promise<void> => {
    const queue = await load();
    queue.leave({ messageId: around.newId(), content: [{ type: "text", text }], source: "peer" });
    inbox.setUnread(queue.unread);
  };
  inbox.onArrival((arrived) => void (typeof arrived === "string" ? takeMessage(arrived) : report(arrived)));
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
        if (mode !== "immediate") conversation.start(messageId, prompt, files).catch(() => {});
        else if (conversation.join(messageId, prompt, attachments, source) && source === undefined) session.interrupt();
      });
      return messageId;
    },
    abort: async (reason) => loaded?.then((conversation) => conversation.abort(reason)),
    goOn() {
      const { cutRun, goOn } = earlier;
      if (cutRun === null) return null;
      const end = load().then((queue) => queue.again(cutRun, goOn));
      end.catch(() => {});
      return createRun(cutRun.messageId, end, session.on, true);
    },
    truncate: async (from) => (await load()).truncate(from),
    compact: async (signal) => (await load()).compact(signal),
    history: async () => (loaded === null && earlier.past.length === 0 ? [] : (await load()).history),
  };
}

async function open(ports: ConversationPorts): Promise<RunQueue> {
  const { session, exchange, around, emit, agents, earlier = NOTHING_SAID } = ports;
  const [{ createRunQueue }, { followHistory }, { createSidekick }] = await Promise.all([
    import("../../loop/run-queue.ts"),
    import("../../loop/conversation-history.ts"),
    import("../../agents/sidekick.ts"),
  ]);
  const { items: own } = followHistory(null, earlier, session.live);
  const findModel = createModelFinder(ports);
  session.on("permission.requested", ({ toolName, reason }) => {
    void session.calls().then((calls) => calls.notify("permission_prompt", `${toolName}: ${reason}`));
  });
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
        ...{ ...ports, agent: null, history: own, stored: session.stored },
        usedBelow: () => addTotals(judging, agents.usedBelow()),
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
