import { AGENT_METHODS } from "./methods/agents.ts";
import { COMMAND_METHODS } from "./methods/commands.ts";
import { CONVERSATION_METHODS } from "./methods/conversation.ts";
import { HISTORY_METHODS } from "./methods/history.ts";
import { LOGIN_METHODS } from "./methods/logins.ts";
import { MCP_METHODS } from "./methods/mcp.ts";
import { METADATA_METHODS } from "./methods/metadata.ts";
import { type Method, ofSession, type SessionMethod } from "./methods/method.ts";
import { MODEL_METHODS } from "./methods/models.ts";
import { PERMISSION_METHODS } from "./methods/permissions.ts";
import { SERVER_METHODS } from "./methods/server.ts";
import { STORED_METHODS } from "./methods/stored.ts";
import { USER_SETTING_METHODS } from "./methods/user-settings.ts";
import { WORKSPACE_METHODS } from "./methods/workspace.ts";

export { detach } from "./sessions/sessions.ts";

const OF_SESSIONS: Readonly<Record<string, SessionMethod>> = {
  ...CONVERSATION_METHODS,
  ...PERMISSION_METHODS,
  ...MCP_METHODS,
  ...AGENT_METHODS,
  ...MODEL_METHODS,
  ...HISTORY_METHODS,
  ...METADATA_METHODS,
  ...COMMAND_METHODS,
  ...WORKSPACE_METHODS,
};

const ALL: ReadonlyMap<string, Method> = new Map<string, Method>([
  ...Object.entries({ ...SERVER_METHODS, ...LOGIN_METHODS, ...STORED_METHODS, ...USER_SETTING_METHODS }),
  ...Object.entries(OF_SESSIONS).map(([name, method]) => [`session.${name}`, ofSession(method)] as const),
]);

/** What answers a method; undefined for those that mean nothing here. */
export function findMethod(name: string): Method | undefined {
  return ALL.get(name);
}
