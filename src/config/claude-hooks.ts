import { join } from "node:path";
import { defaultOrigin, formatOrigin, type Origin } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import { isToolcribError } from "../core/codes/toolcrib-error.ts";
import { type ConfigNode, listNode, type MapNode, mapNode, nodeAt, scalarNode } from "./config-node.ts";
import type { HookEvent } from "./file-shape.ts";
import { parseDocument } from "./parse-document.ts";
import type { Layer } from "./read-layers.ts";
import type { Readers } from "./readers.ts";

/** Claude Code's events that have a place here. */
const EVENTS: ReadonlyMap<string, HookEvent> = new Map([
  ["PreToolUse", "preToolUse"],
  ["PostToolUse", "postToolUse"],
  ["PostToolUseFailure", "postToolUseFailure"],
  ["PermissionRequest", "permissionRequest"],
  ["SessionStart", "sessionStart"],
  ["SessionEnd", "sessionEnd"],
  ["UserPromptSubmit", "userPromptSubmitted"],
]);
/** Seconds, as documented for Claude Code. */
const DEFAULT_TIMEOUT = 600;

export interface ClaudeHooks {
  /** Layers of the project, so that they need trust as its own hooks do. */
  readonly layers: readonly Layer[];
  readonly notices: readonly Notice[];
}

/** Command hooks of a project's `.claude/settings.json`, in the shape of our own files. */
export async function readClaudeHooks(workspace: string, readers: Readers): Promise<ClaudeHooks> {
  const layers: Layer[] = [];
  const notices: Notice[] = [];
  for (const [name, kind] of FILES) {
    const file = `.claude/${name}`;
    const root = await readSettings(join(workspace, file), file, readers, notices);
    if (root === null || isTrue(nodeAt(root, "disableAllHooks"))) continue;
    const hooks = toHooks(nodeAt(root, "hooks"), notices);
    if (hooks.length === 0) continue;
    const { origin } = root;
    layers.push({ kind, source: null, root: mapNode([["hooks", mapNode(hooks, origin)]], origin) });
  }
  return { layers, notices };
}

const FILES = [
  ["settings.local.json", "local"],
  ["settings.json", "project"],
] as const;

/** A file of another product that cannot be read costs its hooks and nothing else, and says so. */
async function readSettings(
  path: string,
  file: string,
  readers: Readers,
  notices: Notice[],
): Promise<ConfigNode | null> {
  try {
    const text = await readers.readText(path);
    return text === null ? null : await parseDocument(text, file);
  } catch (error) {
    const why = isToolcribError(error) || error instanceof Error ? error.message : String(error);
    notices.push(
      invalid(`${file} cannot be read, so its hooks are left out: ${why}`, { kind: "file", file, line: null }),
    );
    return null;
  }
}

function toHooks(hooks: ConfigNode | undefined, notices: Notice[]): readonly (readonly [string, ConfigNode])[] {
  if (hooks?.kind !== "map") return [];
  return [...hooks.entries].flatMap(([name, groups]): readonly (readonly [string, ConfigNode])[] => {
    const event = EVENTS.get(name);
    if (event === undefined || groups.kind !== "list") return [];
    const items = groups.items.flatMap((group) => toEntries(group, name, notices));
    return items.length === 0 ? [] : [[event, listNode(items, groups.origin)]];
  });
}

function toEntries(group: ConfigNode, event: string, notices: Notice[]): readonly MapNode[] {
  const matcher = nodeAt(group, "matcher");
  const handlers = nodeAt(group, "hooks");
  if (handlers?.kind !== "list") return [];
  return handlers.items.flatMap((handler): readonly MapNode[] => {
    const [type, command] = [text(nodeAt(handler, "type")), text(nodeAt(handler, "command"))];
    if (type !== "command" || command === null) {
      const what = `the ${event} hook in ${formatOrigin(handler.origin)} is of type ${JSON.stringify(type)}`;
      notices.push(invalid(`${what}; only commands are run, so it is left out`, handler.origin));
      return [];
    }
    const timeout = nodeAt(handler, "timeout");
    const { origin } = handler;
    return [
      mapNode(
        [
          ["matcher", scalarNode(text(matcher) ?? "", matcher?.origin ?? origin)],
          ["command", scalarNode(command, origin)],
          [
            "timeout",
            timeout?.kind === "scalar" && typeof timeout.value === "number"
              ? timeout
              : scalarNode(DEFAULT_TIMEOUT, origin),
          ],
        ],
        origin,
      ),
    ];
  });
}

function text(node: ConfigNode | undefined): string | null {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : null;
}

function isTrue(node: ConfigNode | undefined): boolean {
  return node?.kind === "scalar" && node.value === true;
}

function invalid(message: string, origin: Origin = defaultOrigin): Notice {
  return { level: "warning", code: "hook.invalid", text: message, names: [], origin };
}
