import type { Config } from "../../config/config.ts";
import type { Emitter } from "../events/emitter.ts";
import { createExchange } from "./exchange.ts";
import { type OpenSession, openSession } from "./session.ts";
import type { SessionSetting } from "./setting.ts";
import type { Surroundings } from "./surroundings.ts";
import { createTalk, type Talk, type TalkOptions } from "./talk.ts";

/** A session of a configuration that also talks to its model. */
export interface AgentSession extends Talk {
  readonly session: OpenSession;
}

export async function openAgent(
  config: Config,
  setting: SessionSetting,
  options: () => TalkOptions,
  around: Surroundings,
): Promise<AgentSession> {
  let emit: Emitter["emit"] = () => {};
  const session = await openSession(config, {
    ...setting,
    attach(ports) {
      emit = ports.emit;
      setting.attach(ports);
    },
  });
  const tell: Emitter["emit"] = (name, data) => emit(name, data);
  return { session, ...createTalk(session, createExchange(session, tell), options, around, tell) };
}
