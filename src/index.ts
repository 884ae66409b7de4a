/** The public surface. Adding a line here is a promise to keep it. */
export { type Call, toInvocation } from "./core/call/call.ts";
export type { AnsweredCall, AssistantPart, HistoryMessage, UserPart } from "./core/call/message.ts";
export type { PermissionKind } from "./core/call/permission-kind.ts";
export {
  type BinaryResult,
  type Canceller,
  fromThrown,
  type ResultType,
  type ToolResult,
  toToolResult,
} from "./core/call/tool-result.ts";
export { buildCatalog, type Catalog, type CatalogOptions } from "./core/catalog/catalog.ts";
export type { Entry } from "./core/catalog/entry.ts";
export type { NamedSet } from "./core/catalog/named-set.ts";
export { buildOverriddenCatalog, type ToolOverride } from "./core/catalog/override-tools.ts";
export { createResolver, type Resolution, type Resolver } from "./core/catalog/resolver.ts";
export { CODES, type Code, type ErrorCode, type NoticeCode, type ReasonCode } from "./core/codes/codes.ts";
export { formatOrigin, type NameList, nameList, type Origin, type Sourced, sourced } from "./core/codes/origin.ts";
export type { Notice, Reason } from "./core/codes/reason.ts";
export { isToolcribError, ToolcribError } from "./core/codes/toolcrib-error.ts";
export type { PayloadOptions } from "./core/dialects/advertise.ts";
export type { Dialect, Payload } from "./core/dialects/dialect.ts";
export { DIALECTS, type MessageOf, type PayloadOf } from "./core/dialects/dialects.ts";
export type { DialectLimits, DialectName } from "./core/dialects/limits.ts";
export type { Names } from "./core/dialects/names.ts";
export { callsOf, type StopReason, type StreamPart } from "./core/dialects/stream-part.ts";
export type { Envelope, SessionEvent } from "./core/events/envelope.ts";
export type { CallEvents, EventName, SessionEvents } from "./core/events/event-types.ts";
export type { RunStopReason } from "./core/events/turn-events.ts";
export { defer, hide, pass, type Verdict } from "./core/gates/gate.ts";
export { GATES, type Gate, type GateName } from "./core/gates/gates.ts";
export { DEFAULT_SCENE } from "./core/scene/default-scene.ts";
export type { Agent, Mode, Model, Policy, Scene, Server, Skill } from "./core/scene/scene.ts";
export { readWorld, toWorld, type World } from "./core/scene/world.ts";
export type { Hints } from "./core/search/rank-words.ts";
export type { MissingSource, SearchAnswer, SearchCursor } from "./core/search/search-answer.ts";
export { SearchIndex } from "./core/search/search-index.ts";
export { type SearchContext, type SearchRequest, searchTools } from "./core/search/search-tools.ts";
export type { ToolText } from "./core/search/tool-text.ts";
export { syncIndex } from "./core/search/toolset-view.ts";
export { UsageMemory, type Use } from "./core/search/usage-memory.ts";
export { type Embedder, VectorStore } from "./core/search/vector-store.ts";
export { toCanonicalJson } from "./core/tool/canonical-json.ts";
export { type DefinedTool, defineTool, type ToolOptions } from "./core/tool/define-tool.ts";
export type { Handler, HandlerValue, Invocation } from "./core/tool/handler.ts";
export type { ArgumentsOf } from "./core/tool/infer-arguments.ts";
export { toSignature } from "./core/tool/inspect-tool.ts";
export type { Parsed } from "./core/tool/standard-schema.ts";
export { type Tool, type ToolFields, toTool } from "./core/tool/tool.ts";
export type { Traits } from "./core/tool/traits.ts";
export { buildToolset, rebuildToolset } from "./core/toolset/build-toolset.ts";
export { type ToolDefinition, toDefinitions } from "./core/toolset/definitions.ts";
export { diffToolsets, type ToolChange } from "./core/toolset/diff-toolsets.ts";
export { type Answer, type Explanation, explain } from "./core/toolset/explain.ts";
export { adviseSearch, type PromotionBudget, promote, trimPromotions } from "./core/toolset/promotions.ts";
export { type PromptSection, toPromptSections } from "./core/toolset/prompt-sections.ts";
export type { Placement, Standing, Toolset, TraceLine } from "./core/toolset/toolset.ts";
export type { CallOptions, ExecuteOptions } from "./runtime/executor/executor.ts";
export type { Outcome } from "./runtime/executor/outcome.ts";
export type { ExecutorLimits } from "./runtime/executor/ports.ts";
export { type CallPart, toParts } from "./runtime/executor/stream.ts";
export type { HookOutput, SessionHooks } from "./runtime/hooks/hook-types.ts";
export type { RunLimits } from "./runtime/loop/loop-session.ts";
export type { Run } from "./runtime/loop/run.ts";
export type { RunEnd } from "./runtime/loop/run-loop.ts";
export type { RunOptions, SendOptions } from "./runtime/loop/run-queue.ts";
export type { RunTotals } from "./runtime/loop/run-totals.ts";
export type { GivenProvider } from "./runtime/models/find-model.ts";
export type { Carrier } from "./runtime/models/http-model.ts";
export type { Effort, ModelClient, ModelRequest, ReplyWatch, TokenUsage } from "./runtime/models/model.ts";
export { ModelError } from "./runtime/models/model-error.ts";
export {
  createScriptedModel as scriptedModel,
  type Script,
  type ScriptedReply,
} from "./runtime/models/scripted-model.ts";
export type { Classification, Classifier, ClassifierStage } from "./runtime/permissions/classifier.ts";
export type { Grant } from "./runtime/permissions/grant.ts";
export type {
  GrantScope,
  PermissionAnswer,
  PermissionHandler,
  PermissionRequest,
  Suggestion,
} from "./runtime/permissions/permission-request.ts";
export type { Found, Request } from "./runtime/requests/request.ts";
export { createSession, type ResumeOptions, resumeSession, type Session } from "./runtime/session/create-session.ts";
export type { ElicitationAnswer, ElicitationHandler, ElicitationRequest } from "./runtime/session/elicitation.ts";
export type {
  ReplyOptions,
  ReplyResult,
  Results,
  ResultsOptions,
  SessionPayloadOptions,
} from "./runtime/session/exchange.ts";
export type { ForkPoint } from "./runtime/session/fork-session.ts";
export type {
  AgentOption,
  ExtensionOption,
  McpServerOption,
  ModelOption,
  OpenApiOption,
  OverrideOption,
  PermissionsOption,
  RuleOption,
} from "./runtime/session/option-types.ts";
export type { SavedPromotions } from "./runtime/session/promotion-state.ts";
export type { UsageStore } from "./runtime/session/search-usage.ts";
export type { CallResult, PromptOutcome, SessionCalls } from "./runtime/session/session-calls.ts";
export type { SessionOptions } from "./runtime/session/session-options.ts";
export type { Logger } from "./runtime/session/setting.ts";
export {
  deleteSession,
  forkSession,
  listSessions,
  openStore,
  type StoredSessionsOptions,
} from "./runtime/session/stored-sessions.ts";
export type { Surroundings } from "./runtime/session/surroundings.ts";
export type { Talk } from "./runtime/session/talk.ts";
export type { Journal, Store, StoredQuestion, StoredSession } from "./runtime/store/store.ts";
export type { ExternalTool, Registration } from "./sources/external/external-source.ts";
export type { Memory, Question } from "./sources/host.ts";
export type { McpResult } from "./sources/mcp/mcp-result.ts";
export type { ExternalDefinition } from "./sources/parts/read-definition.ts";
export {
  CONNECTED,
  type Progress,
  type RunContext,
  type Source,
  type SourceState,
  type SourceStatus,
} from "./sources/source.ts";
