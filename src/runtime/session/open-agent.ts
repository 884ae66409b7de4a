import type { Config } from "../../config/config.ts";
import type { StoredOptions } from "../../core/events/state-events.ts";
import type { AgentsPort } from "../../sources/agents-port.ts";
import type { Surroundings } from "../../system/surroundings.ts";
import type { OwnConversation } from "./conversation/conversation.ts";
import { openConversation } from "./conversation/open-conversation.ts";
import type { AskingOptions } from "./options/session-options.ts";
import { askThroughServers } from "./sources/ask-through-servers.ts";
import type { ElicitationHandler } from "./sources/elicitation.ts";
import { type SessionJournal, toStoredSetting } from "./stored/session-journal.ts";
import { createToolStorage } from "./stored/tool-storage.ts";
import type { OpenSession } from "./tools/session.ts";
import { createSessionEmitter, type GivenSetting, toSetting } from "./tools/setting.ts";

/** A session of a configuration, with its conversation. */
export interface AgentSession extends OwnConversation {
  readonly session: OpenSession;
  /** The agents that can work for it, and those that did. */
  readonly agents: Pick<AgentsPort, "known" | "list" | "stop">;
  /** Ends the run, the agents below it and the session. */
  close(): Promise<void>;
}

/** A journal for an agent, new or gone on with, and the options that it is to remember. */
export interface AgentJournal {
  readonly kept: SessionJournal;
  readonly options: StoredOptions;
}

/** What an agent is made of, and who answers what its MCP servers ask people; nobody if absent. */
export type AgentSetting = GivenSetting & { readonly onElicitation?: ElicitationHandler | null };

/** With a journal, everything that happens is stored, and what it says already has been said. It is closed with the agent. */
export async function openAgent(
  config: Config,
  { onElicitation = null, open = (wanted) => wanted.open(), ...given }: AgentSetting,
  options: () => AskingOptions,
  around: Surroundings,
  journal: AgentJournal | null = null,
): Promise<AgentSession> {
  const base = toSetting({ ...given, ...(journal && toStoredSetting(journal.kept)) });
  const emitter = createSessionEmitter(base);
  const { emit } = emitter;
  const { id: sessionId, logger } = base;
  const people = { sessionId, logger, newId: around.newId, emit, questions: journal?.kept.questions };
  const setting = {
    ...base,
    ...(journal && createToolStorage(journal.kept, emit, around.clock)),
    elicits: onElicitation !== null,
    open: async (wanted: Parameters<typeof open>[0]) => askThroughServers(await open(wanted), onElicitation, people),
  };
  const { session, agents, conversation, close } = await openConversation(
    config,
    emitter,
    { setting, given: options, around },
    { options: journal?.options ?? {} },
  );
  return { session, agents, ...conversation, close };
}
