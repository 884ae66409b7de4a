import { resolve } from "node:path";
import type { HookConfig } from "../../config/config.ts";
import type { HookEvent } from "../../config/shape/hook-shape.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import type { Mode } from "../../core/scene/scene.ts";
import { isBuiltin } from "../../core/tool/tool.ts";
import { findBuiltin } from "../../sources/builtin/definitions.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import { claudeName } from "./hook-matcher.ts";

/** The input of a hook, before it is put into a product's format. */
export interface HookDetails {
  readonly event: HookEvent;
  readonly sessionId: string;
  readonly cwd: string;
  readonly mode: Mode;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly prepared: PreparedCall | null;
  readonly result: ToolResult | null;
  /** Milliseconds. */
  readonly duration: number | null;
  readonly error: string | null;
  /** The fields of events without a call, such as the prompt. */
  readonly more: object;
}

/** One JSON object for a command, in the format of the product that the hook is written for. */
export function toHookInput(details: HookDetails, hook: Pick<HookConfig, "dialect">): object {
  return hook.dialect === "copilot" ? toCopilot(details) : toClaude(details, hook.dialect === "claude");
}

function toClaude(details: HookDetails, isClaudes: boolean): object {
  const { event, sessionId, cwd, mode, time, prepared, result, duration, error, more } = details;
  return {
    session_id: sessionId,
    transcript_path: "",
    cwd,
    permission_mode: CLAUDE_MODES[mode],
    hook_event_name: CLAUDE_EVENTS[event],
    timestamp: new Date(time).toISOString(),
    ...(prepared === null ? {} : { ...toolFields(prepared, cwd, isClaudes), tool_use_id: prepared.call.id }),
    ...(result === null || error !== null ? {} : toResponse(result)),
    ...(error === null ? {} : { error }),
    ...(duration === null ? {} : { duration_ms: Math.round(duration) }),
    ...more,
  };
}

function toCopilot({ event, sessionId, cwd, time, prepared, result, error, more }: HookDetails): object {
  const { resultType, textResultForLlm } = result ?? {};
  const failure = Reflect.get(more, "error");
  return {
    sessionId,
    timestamp: time,
    cwd,
    ...(prepared === null ? {} : { toolName: prepared.entry.wireName, toolArgs: prepared.args }),
    ...(result === null || error !== null ? {} : { toolResult: { resultType, textResultForLlm } }),
    ...(error === null ? {} : { error }),
    ...more,
    ...(event === "errorOccurred" && typeof failure === "string"
      ? { error: { message: failure, name: "Error" }, errorContext: "system" }
      : {}),
  };
}

const CLAUDE_EVENTS = {
  preToolUse: "PreToolUse",
  postToolUse: "PostToolUse",
  postToolUseFailure: "PostToolUseFailure",
  permissionRequest: "PermissionRequest",
  sessionStart: "SessionStart",
  sessionEnd: "SessionEnd",
  userPromptSubmitted: "UserPromptSubmit",
  agentStop: "Stop",
  subagentStart: "SubagentStart",
  subagentStop: "SubagentStop",
  preCompact: "PreCompact",
  notification: "Notification",
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

/** Claude's names for our tools' arguments. */
const CLAUDE_FIELDS: ReadonlyMap<string, string> = new Map([
  ["path", "file_path"],
  ["old_str", "old_string"],
  ["new_str", "new_string"],
]);
const NO_FIELDS: ReadonlyMap<string, string> = new Map();

function claudeFields({ tool }: PreparedCall["entry"]): ReadonlyMap<string, string> {
  if (!isBuiltin(tool)) return NO_FIELDS;
  const own = findBuiltin(tool)?.claudeFields;
  return own === undefined ? CLAUDE_FIELDS : new Map([...CLAUDE_FIELDS, ...own]);
}

/** Hooks written for Claude Code get its names of tools and fields, and absolute paths; ours get our own. */
function toolFields({ entry, args }: PreparedCall, cwd: string, isClaudes: boolean): object {
  if (!isClaudes) return { tool_name: entry.wireName, tool_input: args };
  const theirs = Object.entries(args).flatMap(([key, value]) => {
    const name = claudeFields(entry).get(key);
    if (name === undefined) return [];
    return [[name, key === "path" && typeof value === "string" ? resolve(cwd, value) : value] as const];
  });
  return { tool_name: claudeName(entry), tool_input: { ...args, ...Object.fromEntries(theirs) } };
}

/** The reverse: what a hook changed under Claude's name counts for ours. */
export function fromHookInput(input: unknown, { entry, args }: PreparedCall, cwd: string): unknown {
  if (!isBuiltin(entry.tool) || typeof input !== "object" || input === null) return input;
  const fields = new Map(Object.entries(input));
  for (const [own, theirs] of claudeFields(entry)) {
    if (!fields.has(theirs)) continue;
    const value = fields.get(theirs);
    const before = args[own];
    fields.delete(theirs);
    // A path that was only made absolute is unchanged.
    const isSame = own === "path" && typeof before === "string" && value === resolve(cwd, before);
    if (isSame && !fields.has(own)) fields.set(own, before);
    else if (!isSame && !(fields.has(own) && value === before)) fields.set(own, value);
  }
  return Object.fromEntries(fields);
}

function toResponse({ textResultForLlm, resultType, structured }: ToolResult): object {
  const response = structured === undefined ? {} : { structuredContent: structured };
  return {
    tool_response: { content: textResultForLlm, ...response },
    tool_result: { result_type: resultType, text_result_for_llm: textResultForLlm },
  };
}
