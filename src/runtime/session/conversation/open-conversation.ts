import type { Config } from "../../../config/config.ts";
import type { StoredOptions } from "../../../core/events/state-events.ts";
import type { Emitter } from "../../events/emitter.ts";
import { type OpenSession, prepareSession } from "../tools/session.ts";
import { beginJournal } from "./begin-journal.ts";
import type { ConversationPlace } from "./child-ports.ts";
import { createConversation, type OwnConversation } from "./conversation.ts";
import { createExchange, type ModelExchange } from "./exchange.ts";
import { createInbox } from "./inbox.ts";
import { createSessionAgents, type SessionAgents } from "./session-agents.ts";

/** A session with its conversation, and the agents that work for it. */
export interface OpenConversation {
  readonly session: OpenSession;
  readonly exchange: ModelExchange;
  readonly agents: SessionAgents;
  readonly conversation: OwnConversation;
  /** Ends the run, the agents and the session. */
  close(): Promise<void>;
}

/** How a stored session begins, or goes on. */
interface Beginning {
  /** Looks at the session before anything is reported; what it throws keeps the session from opening. */
  readonly check?: (session: OpenSession) => Promise<void>;
  /** What its journal remembers of its options. */
  readonly options: StoredOptions;
  /** Closes calls that waited for somebody. */
  readonly abandon?: boolean;
}

export async function openConversation(
  config: Config,
  emitter: Emitter,
  place: Omit<ConversationPlace, "emit">,
  { check, options, abandon }: Beginning,
): Promise<OpenConversation> {
  const { setting } = place;
  const { emit } = emitter;
  const prepared = prepareSession(config, setting, emitter);
  const inbox = createInbox();
  const agents = createSessionAgents({ ...place, emit, inbox, session: prepared.base });
  const session = await prepared.open(agents);
  await check?.(session);
  const earlier =
    setting.journal &&
    beginJournal(setting.journal, options, session, emit, { abandon, describe: setting.describeEnd });
  const exchange = createExchange(session, emit);
  const conversation = createConversation({ ...place, emit, inbox, session, exchange, agents, earlier });
  return {
    session,
    exchange,
    agents,
    conversation,
    async close() {
      await earlier?.suspend();
      await conversation.abort("closed");
      await agents.close();
      await session.close();
    },
  };
}
