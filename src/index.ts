/** The public surface. Adding a line here is a promise to keep it, and a line in `docs/reference/library.md`. */
export type { HistoryMessage } from "./core/call/message.ts";
export type { ToolResult } from "./core/call/tool-result.ts";
export type { Code } from "./core/codes/codes.ts";
export type { Notice } from "./core/codes/reason.ts";
export { isToolcribError, ToolcribError } from "./core/codes/toolcrib-error.ts";
export type { PayloadOf } from "./core/dialects/dialects.ts";
export type { DialectName } from "./core/dialects/limits/limits.ts";
export type { StreamPart } from "./core/dialects/stream/stream-part.ts";
export type { SessionEvent } from "./core/events/envelope.ts";
export type { EventName, SessionEvents } from "./core/events/event-types.ts";
export type { Embedder } from "./core/search/vector-store.ts";
export { type DefinedTool, defineTool, type ToolOptions } from "./core/tool/define-tool.ts";
export type { Handler, Invocation } from "./core/tool/handler.ts";
export type { ArgumentsOf } from "./core/tool/infer-arguments.ts";
export { type Tool, toTool } from "./core/tool/tool.ts";
export type { Traits } from "./core/tool/traits.ts";
export type { Answer } from "./core/toolset/explain.ts";
export type { Toolset } from "./core/toolset/toolset.ts";
export type { HookOutput, SessionHooks } from "./runtime/hooks/hook-types.ts";
export type { Run, RunEnd, RunOptions } from "./runtime/loop/run-types.ts";
export type { ModelClient, ModelRequest } from "./runtime/models/model.ts";
export { ModelError } from "./runtime/models/model-error.ts";
export { createScriptedModel as scriptedModel, type Script } from "./runtime/models/scripted-model.ts";
export type { Classifier } from "./runtime/permissions/classifier.ts";
export type {
  PermissionAnswer,
  PermissionHandler,
  PermissionRequest,
} from "./runtime/permissions/permission-request.ts";
export type { CallResult } from "./runtime/session/calls/call-types.ts";
export type { ReplyResult } from "./runtime/session/conversation/conversation-types.ts";
export { createSession, resumeSession } from "./runtime/session/library.ts";
export type {
  AgentOption,
  ExtensionOption,
  McpServerOption,
  ModelOption,
  OpenApiOption,
  OverrideOption,
  PermissionsOption,
} from "./runtime/session/options/option-types.ts";
export type { SessionOptions } from "./runtime/session/options/session-options.ts";
export type { ResumeOptions, Session } from "./runtime/session/public-session.ts";
export type { UsageStore } from "./runtime/session/search/search-usage.ts";
export type { ElicitationHandler, ElicitationRequest } from "./runtime/session/sources/elicitation.ts";
export { deleteSession, forkSession, listSessions, openStore } from "./runtime/session/stored/stored-sessions.ts";
export type { Store, StoredSession } from "./runtime/store/store.ts";
export type { ExternalTool } from "./sources/external/external-source.ts";
export type { Memory } from "./sources/people-port.ts";
export { CONNECTED, type RunContext, type Source, type SourceStatus } from "./sources/source.ts";
export type { Logger } from "./system/logger.ts";
