import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, readText } from "../../core/shape/read-node.ts";
import type { RuleList, RuleTaker, Words } from "./client-rule.ts";
import { wordsRule } from "./command-words.ts";
import { serverRule } from "./place-words.ts";
import { readStarCalls, type StarCall, type StarValue } from "./starlark.ts";

const LISTS: ReadonlyMap<StarValue, RuleList> = new Map<StarValue, RuleList>([
  ["allow", "allow"],
  ["prompt", "ask"],
  ["forbidden", "deny"],
]);
/** Alternatives of one pattern. */
const MOST = 64;

/** A `.rules` file of Codex: of several rules that match, the strictest counts, as here. */
export function takeCodexRules(text: string, file: string, taker: RuleTaker): void {
  const at = (line: number): Origin => ({ kind: "file", file, line });
  const { calls, odd } = readStarCalls(text);
  for (const call of calls) {
    if (call.name === "prefix_rule") takePrefixRule(call, at(call.line), taker);
    else if (call.name === "network_rule") takeNetworkRule(call, at(call.line), taker);
    else taker.leave(call.name, "it says how Codex finds programs, and allows nothing by itself", at(call.line));
  }
  for (const line of odd) taker.leave("a statement", "it is no rule with plain values", at(line));
}

function takePrefixRule({ values, unnamed }: StarCall, origin: Origin, taker: RuleTaker): void {
  const pattern = values.get("pattern") ?? unnamed[0];
  const decision = values.get("decision") ?? unnamed[1] ?? "allow";
  const list = LISTS.get(decision) ?? null;
  const said = `prefix_rule ${shown(pattern)} ${String(decision)}`;
  if (list === null) taker.leave(said, "its decision is neither allow nor prompt nor forbidden", origin);
  else taker.take(list, said, prefixWords(pattern), origin);
}

function prefixWords(pattern: StarValue | undefined): Words {
  const lines = Array.isArray(pattern) ? expand(pattern) : null;
  if (lines === null) return "its pattern is no list of words and alternatives";
  const found = lines.map((words) => wordsRule(words, "prefix"));
  const broken = found.find((words) => typeof words === "string");
  return broken ?? { rules: found.flatMap((one) => (typeof one === "string" ? [] : one.rules)) };
}

function shown(pattern: StarValue | undefined): string {
  return pattern === undefined ? "" : JSON.stringify(pattern);
}

/** Each word, or one of several. */
function expand(pattern: readonly StarValue[]): readonly (readonly string[])[] | null {
  let lines: (readonly string[])[] = [[]];
  for (const token of pattern) {
    const words: readonly StarValue[] = Array.isArray(token) ? token : [token as StarValue];
    if (words.length === 0 || !words.every((word) => typeof word === "string")) return null;
    lines = lines.flatMap((line) => words.map((word) => [...line, String(word)]));
    if (lines.length > MOST) return null;
  }
  return pattern.length === 0 ? null : lines;
}

/** It is about what commands in Codex's sandbox may reach. */
function takeNetworkRule({ values }: StarCall, origin: Origin, taker: RuleTaker): void {
  const host = values.get("host");
  const decision = values.get("decision");
  const said = `network_rule ${String(host)} ${String(decision)}`;
  const isHost = typeof host === "string" && /^[\w.-]+$/.test(host);
  if (decision === "deny" || decision === "forbidden")
    taker.take(
      "deny",
      said,
      isHost
        ? { rules: [`WebFetch(domain:${host})`], change: "stricter: tools that fetch as well" }
        : "it names no host",
      origin,
    );
  else taker.leave(said, "it opens Codex's own sandbox, and rules here are about calls", origin);
}

const MODES: readonly string[] = ["approval_policy", "sandbox_mode", "default_permissions", "permissions", "profiles"];

/** Codex's settings: tools of servers that run without a question, or with one. */
export function takeCodexSettings(root: ConfigNode, taker: RuleTaker): void {
  for (const [server, entry] of entriesAt(root, "mcp_servers")) {
    const all = readText(nodeAt(entry, "default_tools_approval_mode"));
    if (all !== null) takeMode(server, null, all.value, all.origin, taker);
    for (const [tool, node] of entriesAt(entry, "tools")) {
      const mode = readText(nodeAt(node, "approval_mode"));
      if (mode !== null) takeMode(server, tool, mode.value, mode.origin, taker);
    }
  }
  for (const key of MODES) {
    const node = nodeAt(root, key);
    if (node === undefined || isNull(node)) continue;
    taker.leave(key, "it is about all calls of Codex; permissions.mode says that here, for all clients", node.origin);
  }
}

function takeMode(server: string, tool: string | null, mode: string, origin: Origin, taker: RuleTaker): void {
  const said = `mcp_servers.${server}${tool === null ? "" : `.tools.${tool}`}: ${mode}`;
  const list = mode === "approve" ? "allow" : mode === "prompt" ? "ask" : null;
  if (list !== null) taker.take(list, said, serverRule(server, tool), origin);
  else if (mode !== "auto") taker.leave(said, "there is no such mode here", origin);
}
