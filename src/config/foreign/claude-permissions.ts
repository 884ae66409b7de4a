import { resolve } from "node:path";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { readRule } from "../../core/rules/rule.ts";
import type { Mode } from "../../core/scene/scene.ts";
import { type ConfigNode, isNull, listNode, type MapNode, mapNode, nodeAt, scalarNode } from "../../core/shape/node.ts";
import type { LayerKind } from "../layers/find-files.ts";
import { readString } from "./hook-node.ts";

/** Claude Code's names for modes. */
export const CLAUDE_MODES: ReadonlyMap<string, Mode> = new Map([
  ["default", "default"],
  ["manual", "default"],
  ["acceptEdits", "accept-edits"],
  ["plan", "plan"],
  ["dontAsk", "dont-ask"],
  ["bypassPermissions", "bypass"],
]);

const LISTS = ["allow", "ask", "deny"] as const;
/** All keys, including those without a meaning here. */
const KEYS = [...LISTS, "defaultMode", "additionalDirectories", "disableBypassPermissionsMode", "disableAutoMode"];

/** The `permissions` of a Claude Code settings file, in our own shape; null if they say nothing. */
export function toClaudePermissions(
  root: ConfigNode,
  kind: LayerKind,
  workspace: string,
  notices: Notice[],
): ConfigNode | null {
  const permissions = nodeAt(root, "permissions");
  if (permissions === undefined || isNull(permissions)) return null;
  if (permissions.kind !== "map") {
    notices.push(
      invalid('permissions must be a map with "allow", "ask" and "deny"', "permissions", permissions.origin),
    );
    return null;
  }
  noteMisspelt(permissions, notices);
  const lists = LISTS.flatMap((list): readonly (readonly [string, ConfigNode])[] => {
    const node = nodeAt(permissions, list);
    if (node === undefined || isNull(node)) return [];
    if (node.kind !== "list") {
      notices.push(invalid(`permissions.${list} must be a list of rules, as in ["Bash(rm:*)"]`, list, node.origin));
      return [];
    }
    const rules = node.items.filter((item) => isReadable(item, list, notices));
    return rules.length === 0 ? [] : [[list, listNode(rules, node.origin)]];
  });
  const mode = toMode(nodeAt(permissions, "defaultMode"), kind, notices);
  const folders = toFolders(nodeAt(permissions, "additionalDirectories"), workspace);
  const entries = [
    ...lists,
    ...(mode === null ? [] : [["mode", mode] as const]),
    ...(folders === null ? [] : [["additionalDirectories", folders] as const]),
  ];
  return entries.length === 0 ? null : mapNode(entries, permissions.origin);
}

/** The origin that switches bypass mode off; null if none does. */
export function findBypassOff(root: ConfigNode): Origin | null {
  const node = nodeAt(root, "permissions", "disableBypassPermissionsMode");
  return node !== undefined && readString(node) === "disable" ? node.origin : null;
}

/** Other products add keys, so an unknown one is no mistake; one that is nearly known is, and may have been a deny. */
function noteMisspelt({ entries }: MapNode, notices: Notice[]): void {
  for (const [key, node] of entries) {
    const [nearest] = KEYS.includes(key) ? [] : nearestNames(key, KEYS, 1);
    if (nearest === undefined) continue;
    notices.push(invalid(`permissions has no ${JSON.stringify(key)}; did you mean "${nearest}"?`, key, node.origin));
  }
}

/** As documented, an unreadable rule is left out; that is reported, because a missing deny rule matters. */
function isReadable(item: ConfigNode, list: string, notices: Notice[]): boolean {
  const text = readString(item);
  if (text !== null && (readRule(text)?.tool ?? "") !== "") return true;
  const what = text === null ? "a rule that is not text" : `the rule ${JSON.stringify(text.slice(0, 80))}`;
  const why = `permissions.${list} has ${what}, which cannot be read; write Tool or Tool(pattern), as in Bash(rm:*)`;
  notices.push(invalid(why, text ?? "", item.origin));
  return false;
}

function toMode(node: ConfigNode | undefined, kind: LayerKind, notices: Notice[]): ConfigNode | null {
  const stated = readString(node);
  if (node === undefined || stated === null) return null;
  const mode = CLAUDE_MODES.get(stated);
  // As documented, a project cannot switch these on for the people who work in it.
  const isTooMuch = kind !== "user" && (mode === "bypass" || stated === "auto");
  if (mode !== undefined && !isTooMuch) return scalarNode(mode, node.origin);
  const why = isTooMuch ? "does not count in a project" : "has no counterpart here";
  notices.push(invalid(`permissions.defaultMode ${JSON.stringify(stated)} ${why}`, stated, node.origin));
  return null;
}

/** Relative folders start at the project. */
function toFolders(node: ConfigNode | undefined, workspace: string): ConfigNode | null {
  if (node?.kind !== "list") return null;
  const folders = node.items.flatMap((item) => {
    const path = readString(item);
    if (path === null || path === "") return [];
    return [scalarNode(/^~(?:\/|$)/.test(path) ? path : resolve(workspace, path), item.origin)];
  });
  return folders.length === 0 ? null : listNode(folders, node.origin);
}

function invalid(text: string, name: string, origin: Origin): Notice {
  return {
    level: "warning",
    code: "permission.foreign-invalid",
    text: `${text}${text.endsWith("?") ? " It" : "; it"} is left out`,
    names: [name],
    origin,
  };
}
