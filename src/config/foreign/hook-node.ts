import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { type ConfigNode, listNode, type MapNode, mapNode, scalarNode } from "../config-node.ts";
import type { HookEvent } from "../file-shape.ts";

/** A hook of another product's file, in the shape of our own. */
export interface ForeignHook {
  readonly matcher: string;
  readonly command: string;
  /** Given to the program itself; null where a shell reads the command. */
  readonly args?: readonly string[] | null;
  /** Seconds. */
  readonly timeout: number;
  /** A permission rule: the hook is asked only about calls that it means. */
  readonly when?: string | null;
  readonly cwd?: string | null;
  readonly env?: ReadonlyMap<string, string>;
  readonly isAsync?: boolean;
  readonly dialect: "claude" | "copilot";
}

export function toHookNode(hook: ForeignHook, origin: Origin): MapNode {
  const text = (value: string): ConfigNode => scalarNode(value, origin);
  const entries: [string, ConfigNode | null][] = [
    ["matcher", text(hook.matcher)],
    ["command", text(hook.command)],
    ["args", hook.args == null ? null : listNode(hook.args.map(text), origin)],
    ["timeout", scalarNode(hook.timeout, origin)],
    ["if", hook.when == null ? null : text(hook.when)],
    ["cwd", hook.cwd == null ? null : text(hook.cwd)],
    [
      "env",
      hook.env === undefined
        ? null
        : mapNode(
            [...hook.env].map(([key, value]) => [key, text(value)]),
            origin,
          ),
    ],
    ["async", hook.isAsync === true ? scalarNode(true, origin) : null],
    ["dialect", text(hook.dialect)],
  ];
  return mapNode(
    entries.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])),
    origin,
  );
}

/** Hooks by event, as a configuration file has them. */
export function toHooksNode(
  found: readonly (readonly [HookEvent, readonly MapNode[]])[],
  origin: Origin,
): ConfigNode | null {
  const byEvent = new Map<HookEvent, MapNode[]>();
  for (const [event, nodes] of found) byEvent.set(event, [...(byEvent.get(event) ?? []), ...nodes]);
  const entries = [...byEvent].filter(([, nodes]) => nodes.length > 0);
  if (entries.length === 0) return null;
  return mapNode(
    entries.map(([event, nodes]) => [event, listNode(nodes, nodes[0]?.origin ?? origin)]),
    origin,
  );
}

/** A hook that is not run must be seen not to be. */
export function hookLeftOut(what: string, why: string, origin: Origin): Notice {
  const text = `${what} is left out: ${why}`;
  return { level: "warning", code: "hook.invalid", text, names: [], origin };
}

/** Events that never happen here; one notice for all of a file. */
export function eventsLeftOut(events: readonly string[], origin: Origin): readonly Notice[] {
  if (events.length === 0) return [];
  const text = `hooks for ${events.join(", ")} are left out: nothing here fires them`;
  return [{ level: "info", code: "hook.invalid", text, names: events, origin }];
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
