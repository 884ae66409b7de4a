import { readRule, unreadableRule } from "../../core/rules/rule.ts";
import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, readText } from "../../core/shape/read-node.ts";
import { RULE_LISTS, type RuleList, type RuleTaker, type Words } from "./client-rule.ts";

const OWN_MODE = "a mode is each client's own; permissions.mode here would hold for all of them";
const OWN_FOLDERS = "folders are each client's own; permissions.additionalDirectories here would hold for all of them";
/** Settings beside the lists. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["defaultMode", OWN_MODE],
  ["disableBypassPermissionsMode", OWN_MODE],
  ["disableAutoMode", OWN_MODE],
  ["additionalDirectories", OWN_FOLDERS],
]);

/** `permissions` of Claude Code's settings. */
export function takeClaudeRules(root: ConfigNode, taker: RuleTaker): void {
  for (const [key, node] of entriesAt(root, "permissions")) {
    if (isNull(node)) continue;
    const list = RULE_LISTS.find((one) => one === key);
    if (list === undefined)
      taker.leave(`permissions.${key}`, OTHERS.get(key) ?? "there is no such setting here", node.origin);
    else if (node.kind !== "list") taker.leave(`permissions.${key}`, "it is no list of rules", node.origin);
    else
      for (const item of node.items) {
        const text = readText(item)?.value;
        if (text === undefined) taker.leave(`an entry of permissions.${key}`, "it is no text", item.origin);
        else taker.take(list, text, toWords(text, list, taker.side), item.origin);
      }
  }
  const permissions = nodeAt(root, "permissions");
  if (permissions !== undefined && permissions.kind !== "map" && !isNull(permissions))
    taker.leave("permissions", "it is no map of lists", permissions.origin);
}

const PATHS: ReadonlySet<string> = new Set([
  "Read",
  "Edit",
  "Write",
  "MultiEdit",
  "NotebookEdit",
  "Glob",
  "Grep",
  "LS",
]);

/** Rules are written as there; a path from the top of the settings starts elsewhere in another file. */
function toWords(text: string, list: RuleList, side: RuleTaker["side"]): Words {
  const rule = readRule(text);
  if (rule === null || rule.tool === "") return unreadableRule(text);
  const { tool, specifier } = rule;
  if (!PATHS.has(tool) || specifier === null || !/^\/(?!\/)/.test(specifier) || side === "project")
    return { rules: [text.trim()] };
  if (list === "allow") return "where a path with one slash in front starts depends on the version of Claude Code";
  const from = ["~", "~/.claude", "."];
  return {
    rules: from.map((start) => `${tool}(${start}${specifier})`),
    change: "stricter: from each place where the path may start",
  };
}
