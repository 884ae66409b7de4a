import type { Config } from "../../config/config.ts";
import type { StoredOptions } from "../../core/events/state-events.ts";
import type { AgentsPort } from "../../sources/agents-port.ts";
import type { Source } from "../../sources/source.ts";
import type { Emitter } from "../events/emitter.ts";
import { beginKept } from "./conversation/begin-kept.ts";
import { createExchange } from "./conversation/exchange.ts";
import { createSessionAgents } from "./conversation/session-agents.ts";
import { createTalk, type OwnTalk } from "./conversation/talk.ts";
import type { SessionSurroundings } from "./options/run-profile.ts";
import type { TalkOptions } from "./options/session-options.ts";
import { fromSaved } from "./search/promotion-state.ts";
import { createProjectUsage } from "./search/stored-usage.ts";
import { askThroughServers } from "./sources/ask-through-servers.ts";
import type { WantedSource } from "./sources/configured-sources.ts";
import type { ElicitationHandler } from "./sources/elicitation.ts";
import { keptForTools } from "./stored/kept-for-tools.ts";
import { type KeptSession, toStoredParts } from "./stored/kept-session.ts";
import { createHostSetting, type HostOptions } from "./tools/host-setting.ts";
import { type OpenSession, openSession } from "./tools/session.ts";
import type { SessionSetting } from "./tools/setting.ts";

/** A session of a configuration that also talks to its model. */
export interface AgentSession extends OwnTalk {
  readonly session: OpenSession;
  /** The agents that can work for it, and those that did. */
  readonly agents: Pick<AgentsPort, "known" | "list" | "stop">;
  /** Ends the run, the agents below it and the session. */
  close(): Promise<void>;
}

/** A journal for an agent, new or gone on with, and the options that it is to remember. */
export interface AgentJournal {
  readonly kept: KeptSession;
  readonly options: StoredOptions;
}

/** What surrounds an agent, and who answers what its MCP servers ask people; nobody if absent. */
export interface AgentHost extends HostOptions {
  readonly onElicitation?: ElicitationHandler | null;
  /** Opens sources in place of the agent's own session; each is its own if absent. */
  readonly open?: (wanted: WantedSource) => Promise<Source>;
}

/** With a journal, everything that happens is stored, and what it says already has been said. It is closed with the agent. */
export async function openAgent(
  config: Config,
  { onElicitation = null, open = (wanted) => wanted.open(), ...host }: AgentHost,
  options: () => TalkOptions,
  around: SessionSurroundings,
  journal: AgentJournal | null = null,
): Promise<AgentSession> {
  let emit: Emitter["emit"] = () => {};
  let session: OpenSession | null = null;
  const tell: Emitter["emit"] = (name, data, agent) => emit(name, data, agent);
  const agents = createSessionAgents({
    config: () => session?.config ?? config,
    session: () => session,
    setting: () => setting,
    given: options,
    around,
    emit: tell,
    past: journal?.kept.past ?? [],
    report: (end) => talk.report(end),
    tell: (text) => talk.tell(text),
  });
  const elicits = onElicitation !== null;
  const own = journal === null ? {} : keptForTools(journal.kept, tell, around.clock);
  const setting = toSetting({ ...host, elicits, agents, ...own }, journal?.kept ?? null);
  const { id: sessionId, logger } = setting;
  const people = { sessionId, logger, newId: around.newId, emit: tell, questions: journal?.kept.questions };
  session = await openSession(config, {
    ...setting,
    open: async (wanted) => askThroughServers(await open(wanted), onElicitation, people),
    attach(ports) {
      emit = ports.emit;
      setting.attach(ports);
    },
  });
  const opened = session;
  const earlier = journal === null ? undefined : beginKept(journal.kept, journal.options, opened, tell);
  const exchange = createExchange(opened, tell);
  const talk = createTalk({ session: opened, exchange, given: options, around, emit: tell, agents, earlier });
  return {
    session: opened,
    agents,
    ...talk,
    async close() {
      await earlier?.suspend();
      await talk.abort("closed");
      await agents.close();
      await opened.close();
    },
  };
}

function toSetting(host: HostOptions, kept: KeptSession | null): SessionSetting {
  if (kept === null) return createHostSetting(host);
  const { id, state, questions, values, searchStores } = kept;
  const { skills: activeSkills, todo } = state;
  return {
    ...createHostSetting({ ...host, id, activeSkills, todo, questions, searchStores }),
    ...toStoredParts(kept),
    usage: { store: createProjectUsage(values), tenant: "" },
    promoted: fromSaved(state.promotions),
  };
}
