import { MOST_WAITING } from "../../../core/agent/between-agents.ts";
import type { SessionEvents } from "../../../core/events/event-types.ts";
import type { AgentEnd } from "../../agents/agent-node.ts";
import { describeEnd } from "../../agents/describe-end.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { EarlierHistory } from "../../loop/conversation-history.ts";
import { createRun } from "../../loop/run.ts";
import type { RunQueue } from "../../loop/run-queue.ts";
import { addTotals, fromUsage, NOTHING_USED } from "../../loop/run-totals.ts";
import type { Run } from "../../loop/run-types.ts";
import type { SessionSurroundings } from "../options/run-profile.ts";
import type { TalkOptions } from "../options/session-options.ts";
import type { OpenSession } from "../tools/session.ts";
import type { SessionRuns } from "./conversation-types.ts";
import type { ModelExchange } from "./exchange.ts";
import { createModelFinder, type LoopHeld, toLoopSetting } from "./loop-setting.ts";
import type { SessionAgents } from "./session-agents.ts";

/** The talk of a session, and the part of it that agents below it use. */
export interface OwnTalk extends SessionRuns {
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
  readonly around: SessionSurroundings;
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
      void Promise.all([load(), import("../../loop/input-message.ts")]).then(([queue, { toNotice }]) => {
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
