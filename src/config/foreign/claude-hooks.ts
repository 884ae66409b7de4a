import type { Notice } from "../../core/codes/reason.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { parseRule } from "../../core/rules/rule.ts";
import { type ConfigNode, type MapNode, nodeAt } from "../config-node.ts";
import type { HookEvent } from "../file-shape.ts";
import {
  eventsLeftOut,
  hookLeftOut,
  isTrue,
  readSeconds,
  readString,
  readStrings,
  toHookNode,
  toHooksNode,
} from "./hook-node.ts";

/** Claude Code's events that have a place here. */
export const CLAUDE_EVENTS: ReadonlyMap<string, HookEvent> = new Map([
  ["PreToolUse", "preToolUse"],
  ["PostToolUse", "postToolUse"],
  ["PostToolUseFailure", "postToolUseFailure"],
  ["PermissionRequest", "permissionRequest"],
  ["SessionStart", "sessionStart"],
  ["SessionEnd", "sessionEnd"],
  ["UserPromptSubmit", "userPromptSubmitted"],
]);
const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set([
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "permissionRequest",
]);
/** Seconds, as documented for Claude Code. */
const DEFAULT_TIMEOUT = 600;

/** The command hooks of a settings file, in the shape of our own; null where there are none. */
export function toClaudeHooks(root: ConfigNode, notices: Notice[]): ConfigNode | null {
  const hooks = nodeAt(root, "hooks");
  if (hooks?.kind !== "map" || isTrue(nodeAt(root, "disableAllHooks"))) return null;
  const unknown = [...hooks.entries.keys()].filter((name) => !CLAUDE_EVENTS.has(name));
  notices.push(...eventsLeftOut(unknown, hooks.origin));
  const found = [...hooks.entries].flatMap(([name, groups]): readonly (readonly [HookEvent, readonly MapNode[]])[] => {
    const event = CLAUDE_EVENTS.get(name);
    if (event === undefined || groups.kind !== "list") return [];
    return [[event, groups.items.flatMap((group) => toEntries(group, name, event, notices))]];
  });
  return toHooksNode(found, hooks.origin);
}

function toEntries(group: ConfigNode, name: string, event: HookEvent, notices: Notice[]): readonly MapNode[] {
  const handlers = nodeAt(group, "hooks");
  if (handlers?.kind !== "list") return [];
  return handlers.items.flatMap((handler): readonly MapNode[] => {
    const at = (key: string): ConfigNode | undefined => nodeAt(handler, key);
    const leaveOut = (why: string): readonly MapNode[] => {
      notices.push(hookLeftOut(`the ${name} hook`, why, handler.origin));
      return [];
    };
    const [type, command, when] = [readString(at("type")), readString(at("command")), readString(at("if"))];
    if (type !== "command" || command === null)
      return leaveOut(`it is of type ${JSON.stringify(type)}, and only commands are run`);
    if (readString(at("shell")) === "powershell") return leaveOut("it is for PowerShell");
    if (when !== null && !TOOL_EVENTS.has(event)) return leaveOut('"if" is about calls, and this event is about none');
    const args = at("args");
    if (args !== undefined && readStrings(args) === null) return leaveOut('"args" is no list of texts');
    const hook = {
      matcher: readString(nodeAt(group, "matcher")) ?? "",
      command,
      args: readStrings(args),
      timeout: readSeconds(at("timeout")) ?? DEFAULT_TIMEOUT,
      // As documented, a condition that cannot be read keeps no hook from running.
      when: when !== null && isRule(when) ? when : null,
      isAsync: isTrue(at("async")) || isTrue(at("asyncRewake")),
      dialect: "claude",
    } as const;
    return [toHookNode(hook, handler.origin)];
  });
}

function isRule(text: string): boolean {
  try {
    return parseRule(text, { kind: "default" }).text === text;
  } catch (error) {
    if (isToolcribError(error)) return false;
    throw error;
  }
}
