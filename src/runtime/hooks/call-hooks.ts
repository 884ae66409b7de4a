import type { HookConfig } from "../../config/config.ts";
import type { HookEvent } from "../../config/file-shape.ts";
import { type ToolResult, toToolResult } from "../../core/call/tool-result.ts";
import type { Mode } from "../../core/scene/scene.ts";
import type { CallHooks } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import type { Answered } from "../permissions/asking.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { claudeName, hookNames } from "./hook-matcher.ts";
import type { HookRunner } from "./hook-runner.ts";
import { type HookSaid, mergeSaid, SILENT_HOOK } from "./read-output.ts";

export interface CallHookPorts {
  readonly runner: HookRunner;
  readonly sessionId: string;
  readonly cwd: string;
  readonly mode: () => Mode;
  readonly today: () => number;
}

export interface SessionCallHooks extends CallHooks {
  /** What hooks answer in place of a person; null when none of them decides. */
  ask(request: PermissionRequest, prepared: PreparedCall): Promise<Answered | null>;
  /** Events that are about no call. */
  tell(event: Exclude<HookEvent, ToolEvent>, input: object): Promise<HookSaid>;
}

type ToolEvent = "preToolUse" | "postToolUse" | "postToolUseFailure" | "permissionRequest";

/** The hooks of a session as the executor and the permission pipeline call them. */
export function createCallHooks(ports: CallHookPorts): SessionCallHooks {
  const { runner, sessionId, cwd } = ports;
  const common = () => ({ sessionId, timestamp: ports.today(), workingDirectory: cwd });
  const wire = (event: HookEvent) => ({
    session_id: sessionId,
    transcript_path: "",
    cwd,
    permission_mode: CLAUDE_MODES[ports.mode()],
    hook_event_name: CLAUDE_EVENTS[event],
  });

  const runForTool = async (
    event: ToolEvent,
    subject: { readonly prepared: PreparedCall; readonly more: object; readonly wireMore: object },
    signal: AbortSignal,
  ): Promise<HookSaid> => {
    if (!runner.has(event)) return SILENT_HOOK;
    const { prepared, more, wireMore } = subject;
    const { call, entry, args } = prepared;
    const said = await runner.run({
      event,
      names: hookNames(entry),
      toolCallId: call.id,
      input: { ...common(), toolName: entry.wireName, toolArgs: args, toolCallId: call.id, ...more },
      wireInput: (hook) => ({ ...wire(event), ...toolFields(prepared, hook), tool_use_id: call.id, ...wireMore }),
      signal,
    });
    return mergeSaid(said);
  };

  return {
    async pre(prepared, signal) {
      const said = await runForTool("preToolUse", { prepared, more: {}, wireMore: {} }, signal);
      const { decision, reason, additionalContext, endTurn } = said;
      if (said.updatedInput === undefined) return { decision, reason, additionalContext, endTurn };
      const updatedInput = fromClaudeFields(said.updatedInput, prepared);
      return { decision, reason, additionalContext, endTurn, updatedInput };
    },
    async post(prepared, result, duration, signal) {
      const event = EVENT_OF.get(result.resultType);
      if (event === undefined || result.cancelledBy !== undefined) return { additionalContext: [], endTurn: false };
      const error = result.error ?? result.textResultForLlm;
      const [more, wireMore] =
        event === "postToolUse"
          ? [
              { toolResult: result, duration },
              { tool_response: toResponse(result), duration_ms: Math.round(duration) },
            ]
          : [{ error }, { error, duration_ms: Math.round(duration) }];
      const said = await runForTool(event, { prepared, more, wireMore }, signal);
      // The call is over: a block is a word to the model about it.
      const feedback = said.decision === "deny" && said.reason !== null ? [said.reason] : [];
      const changed = event === "postToolUse" && said.updatedOutput !== undefined;
      return {
        ...(changed ? { result: replaceResult(result, said.updatedOutput) } : {}),
        additionalContext: [...said.additionalContext, ...feedback],
        endTurn: said.endTurn,
      };
    },
    async ask({ reason, signal }, prepared) {
      const said = await runForTool("permissionRequest", { prepared, more: { reason }, wireMore: {} }, signal);
      if (said.decision === null || said.decision === "ask") return null;
      const why = said.reason === null ? {} : { reason: said.reason };
      const { updatedInput } = said;
      const input = updatedInput === undefined ? {} : { updatedInput: fromClaudeFields(updatedInput, prepared) };
      return { answer: { decision: said.decision, endTurn: said.endTurn, ...why, ...input }, by: "a hook" };
    },
    async tell(event, input) {
      if (!runner.has(event)) return SILENT_HOOK;
      const { signal } = new AbortController();
      const wireInput = () => ({ ...wire(event), ...input });
      return mergeSaid(
        await runner.run({ event, names: [], toolCallId: null, input: { ...common(), ...input }, wireInput, signal }),
      );
    },
  };
}

const EVENT_OF: ReadonlyMap<string, "postToolUse" | "postToolUseFailure"> = new Map([
  ["success", "postToolUse"],
  ["failure", "postToolUseFailure"],
]);

const CLAUDE_EVENTS = {
  preToolUse: "PreToolUse",
  postToolUse: "PostToolUse",
  postToolUseFailure: "PostToolUseFailure",
  permissionRequest: "PermissionRequest",
  sessionStart: "SessionStart",
  sessionEnd: "SessionEnd",
  userPromptSubmitted: "UserPromptSubmit",
  errorOccurred: "ErrorOccurred",
} as const satisfies Record<HookEvent, string>;

const CLAUDE_MODES = {
  default: "default",
  plan: "plan",
  "accept-edits": "acceptEdits",
  "dont-ask": "dontAsk",
  bypass: "bypassPermissions",
  autopilot: "default",
} as const satisfies Record<Mode, string>;

/** Hooks written for Claude Code know its names of tools and of their files; ours know our own. */
function toolFields({ entry, args }: PreparedCall, { origin }: Pick<HookConfig, "origin">): object {
  if (!isClaudes(origin)) return { tool_name: entry.wireName, tool_input: args };
  const file = entry.tool.source === "builtin" && typeof args.path === "string" ? { file_path: args.path } : {};
  return { tool_name: claudeName(entry), tool_input: { ...args, ...file } };
}

function isClaudes(origin: HookConfig["origin"]): boolean {
  return origin.kind === "file" && /(?:^|[\\/])\.claude[\\/]settings(?:\.local)?\.json$/.test(origin.file);
}

/** The other way round: `file_path` of a built-in is its `path`. */
function fromClaudeFields(input: unknown, { entry }: PreparedCall): unknown {
  if (entry.tool.source !== "builtin" || typeof input !== "object" || input === null) return input;
  if (!Object.hasOwn(input, "file_path")) return input;
  const { file_path: path, ...rest } = input as Record<string, unknown>; // Has the key, so it is a record.
  return { ...rest, path };
}

function toResponse({ textResultForLlm, structured }: ToolResult): object {
  return structured === undefined
    ? { content: textResultForLlm }
    : { content: textResultForLlm, structuredContent: structured };
}

/** What people may read of the call stays; what the model reads is replaced whole. */
function replaceResult({ error, sessionLog, toolTelemetry }: ToolResult, output: unknown): ToolResult {
  const kept = { error, sessionLog, toolTelemetry };
  const stated = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return { ...stated, ...toToolResult(output) };
}
