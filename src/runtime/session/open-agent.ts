import type { Config } from "../../config/config.ts";
import type { Emitter } from "../events/emitter.ts";
import { createExchange } from "./exchange.ts";
import { createHostSetting, type HostOptions } from "./host-setting.ts";
import { type OpenSession, openSession } from "./session.ts";
import { createSessionAgents } from "./session-agents.ts";
import type { TalkOptions } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";
import { createTalk, type Talk } from "./talk.ts";

/** A session of a configuration that also talks to its model. */
export interface AgentSession extends Talk {
  readonly session: OpenSession;
  /** Ends the run, the agents below it and the session. */
  close(): Promise<void>;
}

export async function openAgent(
  config: Config,
  host: HostOptions,
  options: () => TalkOptions,
  around: Surroundings,
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
    report: (text) => talk.report(text),
  });
  const setting = createHostSetting({ ...host, agents });
  session = await openSession(config, {
    ...setting,
    attach(ports) {
      emit = ports.emit;
      setting.attach(ports);
    },
  });
  const opened = session;
  const talk = createTalk(opened, createExchange(opened, tell), options, around, tell);
  return {
    session: opened,
    ...talk,
    async close() {
      await talk.abort("closed");
      await agents.close();
      await opened.close();
    },
  };
}
