/** What a client says before it runs a tool, the same for every client. */
export interface GuardEvent {
  /** The client's own session; null where it does not say. */
  readonly session: string | null;
  /** The subagent that makes the call; null for the main one, or where the client does not say. */
  readonly agent: string | null;
  readonly call: string | null;
  /** The folder that the client works in; null where it does not say. */
  readonly cwd: string | null;
  /** As the client names it. */
  readonly tool: string;
  readonly input: Fields;
  /** The server that lists the tool, where the client says so beyond doubt. */
  readonly served: { readonly server: string; readonly name: string } | null;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Null: the event is not about a tool that is to run. A text says what cannot be read. */
export type EventReader = (event: Fields) => GuardEvent | string | null;

export const EVENT_SHAPES = {
  /** Claude Code's, which Codex, Gemini CLI and Qwen Code have too. */
  claude: readClaude,
  copilot: readCopilot,
  cursor: readCursor,
  windsurf: readWindsurf,
  cline: readCline,
  opencode: readOpencode,
} as const satisfies Readonly<Record<string, EventReader>>;

const BEFORE: ReadonlySet<unknown> = new Set(["PreToolUse", "BeforeTool", "preToolUse"]);

function readClaude(event: Fields): GuardEvent | string | null {
  const name = event.hook_event_name ?? event.hookEventName;
  if (typeof name !== "string") return "the event has no hook_event_name";
  if (!BEFORE.has(name)) return null;
  const served = fieldsOf(event.mcp_context);
  const server = served === null ? null : textOf(served.server_name);
  const tool = served === null ? null : textOf(served.tool_name);
  return toEvent({
    ...{ session: event.session_id ?? event.sessionId, agent: event.agent_id, call: event.tool_use_id, cwd: event.cwd },
    ...{ tool: event.tool_name, input: event.tool_input },
    served: server === null || tool === null ? null : { server, name: tool },
  });
}

/** Under the name `PreToolUse` it writes Claude's shape, under `preToolUse` its own, which does not name the event. */
function readCopilot(event: Fields): GuardEvent | string | null {
  if (event.hook_event_name !== undefined || event.hookEventName !== undefined) return readClaude(event);
  if (event.toolName === undefined) return null;
  const { sessionId, agentId, toolCallId, cwd, toolName, toolArgs } = event;
  // A patch comes as it is, without a name.
  const input = typeof toolArgs === "string" ? (fieldsOf(parseFields(toolArgs)) ?? { input: toolArgs }) : toolArgs;
  return toEvent({ session: sessionId, agent: agentId, call: toolCallId, cwd, tool: toolName, input, served: null });
}

function readCursor(event: Fields): GuardEvent | string | null {
  const { conversation_id: session, generation_id: call, cwd: own, workspace_roots: roots } = event;
  const cwd = own ?? (Array.isArray(roots) ? roots[0] : null);
  const common = { session, agent: null, call, cwd, served: null };
  switch (event.hook_event_name) {
    case "beforeShellExecution":
      return toEvent({ ...common, tool: "Shell", input: { command: event.command } });
    case "beforeReadFile":
      return toEvent({ ...common, tool: "Read", input: { file_path: event.file_path } });
    case "beforeMCPExecution": {
      const name = textOf(event.tool_name);
      const server = textOf(event.server) ?? textOf(event.url) ?? textOf(event.command);
      if (name === null || server === null) return "the event names no tool or no server";
      const input = typeof event.tool_input === "string" ? parseFields(event.tool_input) : event.tool_input;
      return toEvent({ ...common, tool: name, input, served: { server, name } });
    }
    default:
      return readClaude({ ...event, session_id: session, cwd });
  }
}

const WINDSURF_TOOLS: ReadonlyMap<unknown, string> = new Map([
  ["pre_run_command", "run_command"],
  ["pre_write_code", "write_code"],
  ["pre_read_code", "read_code"],
  ["pre_mcp_tool_use", "mcp"],
]);

function readWindsurf(event: Fields): GuardEvent | string | null {
  const action = event.agent_action_name;
  if (typeof action !== "string") return "the event has no agent_action_name";
  const tool = WINDSURF_TOOLS.get(action);
  if (tool === undefined) return null;
  const given = fieldsOf(event.tool_info);
  if (given === null) return "the event has no tool_info";
  const common = { session: event.trajectory_id, agent: null, call: event.execution_id, cwd: given.cwd };
  if (tool !== "mcp") return toEvent({ ...common, tool, input: given, served: null });
  const server = textOf(given.mcp_server_name);
  const name = textOf(given.mcp_tool_name);
  if (server === null || name === null) return "the event names no server or no tool";
  return toEvent({ ...common, tool: name, input: given.mcp_tool_arguments ?? {}, served: { server, name } });
}

function readCline(event: Fields): GuardEvent | string | null {
  if (event.hookName !== "PreToolUse") return typeof event.hookName === "string" ? null : "the event has no hookName";
  const given = fieldsOf(event.preToolUse);
  if (given === null) return "the event has no preToolUse";
  const { workspaceRoots: roots } = event;
  const common = { session: event.taskId, agent: null, call: null, cwd: Array.isArray(roots) ? roots[0] : null };
  const input = fieldsOf(given.parameters);
  const [server, name] = [textOf(input?.server_name), textOf(input?.tool_name)];
  if (server === null || name === null) return toEvent({ ...common, tool: given.toolName, input, served: null });
  const args = typeof input?.arguments === "string" ? parseFields(input.arguments) : (input?.arguments ?? {});
  return toEvent({ ...common, tool: name, input: args, served: { server, name } });
}

/** What our own plugin for opencode passes on. */
function readOpencode(event: Fields): GuardEvent | string | null {
  const { sessionID, callID, directory, tool, args } = event;
  return toEvent({ session: sessionID, agent: null, call: callID, cwd: directory, tool, input: args, served: null });
}

type Unread = { readonly [Key in keyof GuardEvent]: unknown } & Pick<GuardEvent, "served">;

function toEvent({ session, agent, call, cwd, tool, input, served }: Unread): GuardEvent | string {
  const name = textOf(tool);
  if (name === null) return "the event names no tool";
  const given = fieldsOf(input);
  if (given === null) return `the arguments of ${name} are no object`;
  return {
    ...{ session: textOf(session), agent: textOf(agent), call: textOf(call), cwd: textOf(cwd) },
    ...{ tool: name, input: given, served },
  };
}

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null; // An object has such keys.
}

function parseFields(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
