/** What a field holds: a kind of value, one of some words, or fields of its own; `each` for those of a list. */
export type EventField =
  | "text"
  | "number"
  | "flag"
  | "time"
  | "list"
  | readonly string[]
  | EventFields
  | { readonly each: EventFields };
/** EventFields that strict clients want; one whose name ends in `?` may be missing. */
export interface EventFields {
  readonly [name: string]: EventField;
}

const TURN = { turnId: "text" } as const;
const ASKED = { requestId: "text" } as const;
const CALL = { toolCallId: "text", toolName: "text" } as const;
const AGENT = { agentName: "text", agentDisplayName: "text" } as const;
const TRIGGERS = ["threshold", "context_limit_retry", "manual", "memory_pressure", "model_switch"] as const;
const MODES = ["interactive", "plan", "autopilot"] as const;
const PLAN_ACTIONS = ["exit_only", "interactive", "autopilot", "autopilot_fleet"] as const;
const SERVER_STATES = [
  ...["connected", "failed", "needs-auth", "pending", "disabled", "stopped", "not_configured"],
] as const;
const DECISIONS = [
  ...["approved", "approved-for-session", "approved-for-location", "cancelled", "denied-by-rules"],
  ...["denied-no-approval-rule-and-could-not-request-from-user", "denied-interactively-by-user"],
  ...["denied-by-content-exclusion-policy", "denied-by-permission-request-hook"],
] as const;

/**
 * Every event that clients are sent, with what of its data a strict client needs: one that misses something is lost to it.
 * A new one gets a row.
 */
export const EVENT_FIELDS = {
  abort: { reason: ["user_initiated", "remote_command", "user_abort", "autopilot_credit_limit"] },
  "assistant.message": {
    ...{ content: "text", messageId: "text" },
    "toolRequests?": { each: { name: "text", toolCallId: "text" } },
    "originatingMessageId?": "text",
  },
  "assistant.message_delta": { messageId: "text", deltaContent: "text" },
  "assistant.reasoning_delta": { reasoningId: "text", deltaContent: "text" },
  "assistant.turn_end": TURN,
  "assistant.turn_start": TURN,
  "assistant.usage": { model: "text", "inputTokens?": "number", "outputTokens?": "number" },
  "auto_mode_switch.completed": { ...ASKED, response: ["yes", "yes_always", "no"] },
  "auto_mode_switch.requested": ASKED,
  "capabilities.changed": { "ui?": { "elicitation?": "flag" } },
  "command.completed": ASKED,
  "command.execute": { ...ASKED, command: "text", commandName: "text", args: "text" },
  "command.queued": { ...ASKED, command: "text" },
  "commands.changed": { commands: { each: { name: "text" } } },
  "elicitation.completed": ASKED,
  "elicitation.requested": { ...ASKED, message: "text" },
  "exit_plan_mode.completed": ASKED,
  "exit_plan_mode.requested": {
    ...{ ...ASKED, summary: "text", planContent: "text", actions: "list" },
    recommendedAction: PLAN_ACTIONS,
  },
  "external_tool.completed": ASKED,
  "external_tool.requested": { ...ASKED, ...CALL, sessionId: "text" },
  "hook.end": { hookInvocationId: "text", hookType: "text", success: "flag", "error?": { message: "text" } },
  "hook.start": { hookInvocationId: "text", hookType: "text" },
  "mcp.oauth_completed": { ...ASKED, outcome: ["token", "cancelled"] },
  "mcp.oauth_required": { ...ASKED, serverName: "text", serverUrl: "text", reason: "text" },
  "pending_messages.modified": {},
  "permission.completed": { ...ASKED, result: { kind: DECISIONS } },
  "permission.requested": { ...ASKED, permissionRequest: { kind: "text" } },
  "session.compaction_complete": { success: "flag", "trigger?": TRIGGERS },
  "session.compaction_start": { "trigger?": TRIGGERS },
  "session.context_changed": { cwd: "text" },
  "session.error": { errorType: "text", message: "text", "originatingMessageId?": "text" },
  "session.idle": { "aborted?": "flag" },
  "session.info": { infoType: "text", message: "text" },
  "session.mcp_server_status_changed": { serverName: "text", status: SERVER_STATES, "error?": "text" },
  "session.mcp_servers_loaded": {
    servers: {
      each: { name: "text", status: SERVER_STATES, "transport?": ["stdio", "http", "sse"], "error?": "text" },
    },
  },
  "session.mode_changed": { previousMode: MODES, newMode: MODES },
  "session.model_change": { newModel: "text" },
  "session.permissions_changed": {},
  "session.plan_changed": { operation: ["create", "update", "delete"] },
  "session.remote_steerable_changed": { remoteSteerable: "flag" },
  "session.resume": { resumeTime: "time", eventCount: "number" },
  "session.shutdown": {
    ...{ shutdownType: ["routine", "error"], sessionStartTime: "number", totalApiDurationMs: "number" },
    ...{ modelMetrics: {}, codeChanges: { linesAdded: "number", linesRemoved: "number", filesModified: "list" } },
  },
  "session.snapshot_rewind": { upToEventId: "text", eventsRemoved: "number" },
  "session.start": {
    ...{ sessionId: "text", version: "number", producer: "text", copilotVersion: "text" },
    startTime: "time",
  },
  "session.title_changed": { title: "text" },
  "session.todos_changed": {},
  "session.usage_info": { currentTokens: "number", tokenLimit: "number", messagesLength: "number" },
  "session.tools_updated": { model: "text" },
  "session.task_complete": { summary: "text", success: "flag" },
  "session.warning": { warningType: "text", message: "text" },
  "session.workspace_file_changed": { path: "text", operation: ["create", "update"] },
  "skill.invoked": { name: "text", path: "text", content: "text" },
  "subagent.completed": { ...AGENT, toolCallId: "text" },
  "subagent.deselected": {},
  "subagent.failed": { ...AGENT, toolCallId: "text", error: "text" },
  "subagent.selected": AGENT,
  "subagent.started": { ...AGENT, toolCallId: "text", agentDescription: "text" },
  "system.notification": { content: "text", kind: { type: "text" } },
  "tool.execution_complete": {
    ...{ toolCallId: "text", success: "flag" },
    ...{ "result?": { content: "text" }, "error?": { message: "text" } },
  },
  "tool.execution_progress": { toolCallId: "text", progressMessage: "text" },
  "tool.execution_start": CALL,
  "tool.user_requested": CALL,
  "user.message": { content: "text", messageId: "text" },
  "user_input.completed": ASKED,
  "user_input.requested": { ...ASKED, question: "text" },
} as const satisfies Readonly<Record<string, EventFields>>;

/** What a permission request says beside its kind; a strict client loses one of any other kind. */
export const REQUEST_FIELDS = {
  shell: {
    ...{ fullCommandText: "text", intention: "text", commands: { each: { identifier: "text", readOnly: "flag" } } },
    ...{ possiblePaths: "list", possibleUrls: { each: { url: "text" } } },
    ...{ hasWriteFileRedirection: "flag", canOfferSessionApproval: "flag" },
  },
  write: { fileName: "text", intention: "text", diff: "text", canOfferSessionApproval: "flag" },
  read: { path: "text", intention: "text" },
  mcp: { serverName: "text", toolName: "text", toolTitle: "text", readOnly: "flag" },
  url: { url: "text", intention: "text" },
  "custom-tool": { toolName: "text", toolDescription: "text" },
  hook: { toolName: "text" },
  memory: { fact: "text" },
} as const satisfies Readonly<Record<string, EventFields>>;
