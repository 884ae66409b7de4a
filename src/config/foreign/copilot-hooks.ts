import type { Notice } from "../../core/codes/reason.ts";
import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { HOOK_EVENTS, type HookEvent } from "../shape/hook-shape.ts";
import { CLAUDE_EVENTS } from "./claude-hooks.ts";
import {
  type FileHooks,
  hookLeftOut,
  isTrue,
  type ReadHook,
  readSeconds,
  readString,
  readStrings,
  refuseType,
  toHooksNode,
} from "./hook-node.ts";

/** Seconds, as documented for Copilot. */
const DEFAULT_TIMEOUT = 30;

/** The command hooks of a Copilot hook file, in our own shape; null if there are none. */
export function toCopilotHooks(root: ConfigNode, notices: Notice[]): ConfigNode | null {
  const hooks = nodeAt(root, "hooks");
  const version = nodeAt(root, "version");
  if (isTrue(nodeAt(root, "disableAllHooks"))) return null;
  if (hooks?.kind !== "map" || version?.kind !== "scalar" || version.value !== 1) {
    notices.push(hookLeftOut("the file", 'it needs "version": 1 and a map of "hooks"', root.origin));
    return null;
  }
  const read: FileHooks["read"] = (item, name) => [{ ...readItem(item, toEvent(name).dialect), origin: item.origin }];
  return toHooksNode(
    hooks,
    { eventOf: (name) => toEvent(name).event, events: Object.keys(HOOK_EVENTS), read },
    notices,
  );
}

/** An event in Pascal case requests Claude's fields and matchers. */
function toEvent(name: string): { readonly event: HookEvent | null; readonly dialect: "claude" | "copilot" } {
  const pascal = CLAUDE_EVENTS.get(name);
  if (pascal !== undefined) return { event: pascal, dialect: "claude" };
  // Just checked to be one of the names.
  return { event: Object.hasOwn(HOOK_EVENTS, name) ? (name as HookEvent) : null, dialect: "copilot" };
}

function readItem(item: ConfigNode, dialect: "claude" | "copilot"): ReadHook {
  const at = (key: string): ConfigNode | undefined => nodeAt(item, key);
  const refused = refuseType(at("type") === undefined ? "command" : readString(at("type")));
  if (refused !== null) return refused;
  const exec = readString(at("exec"));
  const command = exec ?? readString(at("bash")) ?? readString(at("command"));
  if (command === null) return { why: "it has no command for this system" };
  const args = at("args");
  if (exec !== null && args !== undefined && readStrings(args) === null) return { why: '"args" is no list of texts' };
  const hook = {
    matcher: readString(at("matcher")) ?? "",
    command,
    args: exec === null ? null : (readStrings(args) ?? []),
    timeout: readSeconds(at("timeoutSec")) ?? readSeconds(at("timeout")) ?? DEFAULT_TIMEOUT,
    cwd: readString(at("cwd")),
    env: readEnv(at("env")),
    dialect,
  } as const;
  return { hook };
}

function readEnv(node: ConfigNode | undefined): Readonly<Record<string, string>> {
  const entries = node?.kind === "map" ? [...node.entries] : [];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value.kind === "scalar" ? [[name, String(value.value ?? "")]] : [])),
  );
}
