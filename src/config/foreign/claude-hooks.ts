import type { Notice } from "../../core/codes/reason.ts";
import { readRule } from "../../core/rules/rule.ts";
import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import type { HookEvent } from "../shape/hook-shape.ts";
import {
  type FileHooks,
  isTrue,
  type ReadHook,
  readSeconds,
  readString,
  readStrings,
  refuseType,
  toHooksNode,
} from "./hook-node.ts";

/** Claude Code's events that have an equivalent here. */
export const CLAUDE_EVENTS: ReadonlyMap<string, HookEvent> = new Map([
  ["PreToolUse", "preToolUse"],
  ["PostToolUse", "postToolUse"],
  ["PostToolUseFailure", "postToolUseFailure"],
  ["PermissionRequest", "permissionRequest"],
  ["SessionStart", "sessionStart"],
  ["SessionEnd", "sessionEnd"],
  ["UserPromptSubmit", "userPromptSubmitted"],
  ["Stop", "agentStop"],
  ["SubagentStart", "subagentStart"],
  ["SubagentStop", "subagentStop"],
  ["PreCompact", "preCompact"],
  ["Notification", "notification"],
]);
const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set([
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "permissionRequest",
]);
/** Seconds, as documented for Claude Code. */
const DEFAULT_TIMEOUT = 600;

/** The command hooks of a settings file, in our own shape; null if there are none. */
export function toClaudeHooks(root: ConfigNode, notices: Notice[]): ConfigNode | null {
  const hooks = nodeAt(root, "hooks");
  if (hooks === undefined || isTrue(nodeAt(root, "disableAllHooks"))) return null;
  const read: FileHooks["read"] = (group, name) => {
    const handlers = nodeAt(group, "hooks");
    const wanted = nodeAt(group, "matcher");
    const matcher = wanted === undefined || isNull(wanted) ? "" : readString(wanted);
    if (handlers?.kind !== "list")
      return [{ why: 'commands belong in a list "hooks" beside the matcher, and there is none', origin: group.origin }];
    if (matcher === null) return [{ why: "its matcher is not text", origin: group.origin }];
    const event = CLAUDE_EVENTS.get(name);
    return handlers.items.map((handler) => ({ ...readHandler(handler, matcher, event), origin: handler.origin }));
  };
  const eventOf = (name: string) => CLAUDE_EVENTS.get(name) ?? null;
  return toHooksNode(hooks, { eventOf, events: CLAUDE_EVENTS.keys(), read }, notices);
}

function readHandler(handler: ConfigNode, matcher: string, event: HookEvent | undefined): ReadHook {
  const at = (key: string): ConfigNode | undefined => nodeAt(handler, key);
  const [type, command, when] = [readString(at("type")), readString(at("command")), readString(at("if"))];
  const refused = refuseType(type);
  if (refused !== null) return refused;
  if (command === null || command.trim() === "") return { why: "it has no command" };
  if (readString(at("shell")) === "powershell") return { why: "it is for PowerShell" };
  if (when !== null && event !== undefined && !TOOL_EVENTS.has(event))
    return { why: '"if" is about calls, and this event is about none' };
  const args = at("args");
  if (args !== undefined && readStrings(args) === null) return { why: '"args" is no list of texts' };
  const hook = {
    matcher,
    command,
    args: readStrings(args),
    timeout: readSeconds(at("timeout")) ?? DEFAULT_TIMEOUT,
    // As documented, an unreadable condition does not prevent a hook from running.
    if: when !== null && readRule(when) !== null ? when : null,
    async: isTrue(at("async")) || isTrue(at("asyncRewake")) ? true : null,
    dialect: "claude",
  } as const;
  return { hook };
}
