import type { AskingCalls } from "../clients/client-questions.ts";
import { type ModelFinder, type ModelState, newModels } from "../models/model-state.ts";
import { newPermissions, type PermissionState } from "../permissions/permission-handler.ts";
import { type EventLog, newLog } from "../state/event-log.ts";
import type { RuntimeState } from "../state/runtime-state.ts";
import type { SessionCore } from "../state/session-core.ts";
import { newTurns, type TurnState } from "../state/turn-state.ts";
import { type AgentState, newAgents } from "../tools/agents.ts";
import { newServers, type ServerState } from "../tools/servers.ts";
import type { WorkspaceState } from "../tools/session-sql.ts";
import type { ProvidedSkills } from "../tools/skills.ts";

/** What a session is made of, each part owned by the room that it is defined in. */
export interface ClientSessionParts {
  readonly core: SessionCore;
  readonly events: EventLog;
  readonly permissions: PermissionState;
  readonly agents: AgentState;
  readonly servers: ServerState;
  readonly skills: ProvidedSkills;
  readonly workspace: WorkspaceState;
  readonly asking: AskingCalls;
  readonly models: ModelState;
  readonly turns: TurnState;
}

/** A session that clients are attached to, or that still waits for an answer of theirs. */
export interface ClientSession extends ClientSessionParts {
  readonly findModel: ModelFinder;
}

/** The sessions of this process. */
export interface Runtime extends RuntimeState {
  readonly live: Map<string, ClientSession>;
  /** Sessions that are being opened or deleted, by id. */
  readonly opening: Map<string, Promise<unknown>>;
}

export function newParts(core: SessionCore, isResumed: boolean): ClientSessionParts {
  return {
    core,
    events: newLog(),
    permissions: newPermissions(core.server.approvesAll),
    agents: newAgents(core.options.agent ?? null),
    servers: newServers(),
    skills: { provided: null },
    workspace: { sql: null, commands: new Map() },
    asking: new Map(),
    models: newModels(core),
    turns: newTurns(isResumed),
  };
}
