import { nearestNames } from "../../core/codes/nearest-name.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { type ConfigNode, isNull, listNode, mapNode, toNode } from "../../core/shape/node.ts";
import type { HookEvent } from "../shape/hook-shape.ts";

/** A hook from another product's file, in our own shape; null means not stated. */
interface ForeignHook {
  readonly matcher: string;
  readonly command: string;
  /** Passed to the program itself; null if a shell reads the command. */
  readonly args?: readonly string[] | null;
  /** Seconds. */
  readonly timeout: number;
  /** A permission rule: the hook is asked only about matching calls. */
  readonly if?: string | null;
  readonly cwd?: string | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly async?: true | null;
  readonly dialect: "claude" | "copilot";
}

function toHookNode(hook: ForeignHook, origin: Origin): ConfigNode {
  return toNode(Object.fromEntries(Object.entries(hook).filter(([, value]) => value !== null)), origin);
}

/** One hook of a file: in our shape, or why it is left out. */
export type ReadHook = { readonly hook: ForeignHook } | { readonly why: string };

export interface FileHooks {
  /** Null if nothing here fires that event. */
  readonly eventOf: (name: string) => HookEvent | null;
  /** Every event that `eventOf` knows, to distinguish a misspelt one from one that is not fired here. */
  readonly events: Iterable<string>;
  /** The hooks in one entry of an event, each with its origin. */
  readonly read: (entry: ConfigNode, name: string) => readonly (ReadHook & { readonly origin: Origin })[];
}

/** All hooks of a file by event, in our own shape; null if there are none. */
export function toHooksNode(
  hooks: ConfigNode,
  { eventOf, events, read }: FileHooks,
  notices: Notice[],
): ConfigNode | null {
  if (hooks.kind !== "map") {
    if (!isNull(hooks)) notices.push(hookLeftOut('what "hooks" holds', "it must be a map of events", hooks.origin));
    return null;
  }
  notices.push(
    ...eventsLeftOut(
      [...hooks.entries].filter(([name]) => eventOf(name) === null),
      events,
      hooks.origin,
    ),
  );
  const byEvent = new Map<HookEvent, ConfigNode[]>();
  for (const [name, list] of hooks.entries) {
    const event = eventOf(name);
    if (event === null || isNull(list)) continue;
    if (list.kind !== "list") {
      notices.push(hookLeftOut(`what stands under ${name}`, "it must be a list", list.origin));
      continue;
    }
    const nodes = list.items
      .flatMap((entry) => read(entry, name))
      .flatMap((found): readonly ConfigNode[] => {
        if ("hook" in found) return [toHookNode(found.hook, found.origin)];
        notices.push(hookLeftOut(`the ${name} hook`, found.why, found.origin));
        return [];
      });
    byEvent.set(event, [...(byEvent.get(event) ?? []), ...nodes]);
  }
  const entries = [...byEvent].filter(([, nodes]) => nodes.length > 0);
  if (entries.length === 0) return null;
  return mapNode(
    entries.map(([event, nodes]) => [event, listNode(nodes, nodes[0]?.origin ?? hooks.origin)]),
    hooks.origin,
  );
}

/** A hook that is not run must be visible as such. */
export function hookLeftOut(what: string, why: string, origin: Origin): Notice {
  const text = `${what} is left out: ${why}`;
  return { level: "warning", code: "hook.invalid", text, names: [], origin };
}

/** Events that never happen here: one notice for all of a file. A misspelt known event is reported separately. */
function eventsLeftOut(
  entries: readonly (readonly [string, ConfigNode])[],
  known: Iterable<string>,
  origin: Origin,
): readonly Notice[] {
  const candidates = [...known];
  const slips = entries.flatMap(([name, node]) => {
    const nearest = OTHER_EVENTS.has(name) ? undefined : nearestNames(name, candidates, 1)[0];
    const why = `there is no such event; did you mean "${nearest}"?`;
    return nearest === undefined ? [] : [{ name, notice: hookLeftOut(`what stands under ${name}`, why, node.origin) }];
  });
  const events = entries.map(([name]) => name).filter((name) => !slips.some((slip) => slip.name === name));
  const text = `hooks for ${events.join(", ")} are left out: nothing here fires them`;
  const rest: Notice = { level: "info", code: "hook.invalid", text, names: events, origin };
  return [...slips.map(({ notice }) => notice), ...(events.length === 0 ? [] : [rest])];
}

/** Claude's own events that resemble one that is fired here, and are no typo. */
const OTHER_EVENTS: ReadonlySet<string> = new Set(["PostToolBatch", "PermissionDenied"]);

/** Why a hook of that type is left out; null if it is a command. */
export function refuseType(type: string | null): { readonly why: string } | null {
  if (type === null) return { why: 'it has no type; write "type": "command"' };
  return type === "command" ? null : { why: `it is of type ${JSON.stringify(type)}, and only commands are run` };
}

export function readString(node: ConfigNode | undefined): string | null {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : null;
}

export function readSeconds(node: ConfigNode | undefined): number | null {
  return node?.kind === "scalar" && typeof node.value === "number" && node.value > 0 ? node.value : null;
}

export function readStrings(node: ConfigNode | undefined): readonly string[] | null {
  if (node?.kind !== "list") return null;
  const texts = node.items.map(readString);
  return texts.every((text) => text !== null) ? texts : null;
}

export function isTrue(node: ConfigNode | undefined): boolean {
  return node?.kind === "scalar" && node.value === true;
}
