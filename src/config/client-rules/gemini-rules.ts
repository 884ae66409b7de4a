import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readFlag, readNames, readNumber, readText } from "../../core/shape/read-node.ts";
import type { RuleList, RuleTaker, Words } from "./client-rule.ts";
import { plainWords, regexRule, wordsRule } from "./command-words.ts";
import { allFiles, gluedTool, serverRule } from "./place-words.ts";
import type { RankedEntry } from "./settle-ranks.ts";

const SHELL = "run_shell_command";
const MODES = "permissions.mode says that here, for all clients";
const TIERS = { project: 3_000, user: 4_000 } as const;
/** The ranks of what settings say, among those of a person's policies. */
const RANKS = {
  excluded: 4_400,
  confirmed: 4_350,
  allowed: 4_300,
  narrowed: 4_290,
  core: 4_240,
  trusted: 4_200,
} as const;

/** Gemini CLI's settings: tools that are allowed, excluded or asked about, and servers that are trusted. */
export function takeGeminiSettings(root: ConfigNode, taker: RuleTaker): readonly RankedEntry[] {
  const servers = entriesAt(root, "mcpServers").map(([name]) => name);
  const entries: RankedEntry[] = [];
  const lists = [
    [["tools", "allowed"], "allow", RANKS.allowed],
    [["allowedTools"], "allow", RANKS.allowed],
    [["tools", "exclude"], "deny", RANKS.excluded],
    [["excludeTools"], "deny", RANKS.excluded],
    [["tools", "confirmationRequired"], "ask", RANKS.confirmed],
  ] as const;
  for (const [keys, list, rank] of lists)
    for (const item of itemsAt(root, ...keys)) {
      const text = readText(item)?.value ?? "";
      const [, tool = text, prefix] = /^([\w-]+)\((.*)\)$/s.exec(text) ?? [];
      const meant = prefix === undefined ? toolWords(tool, list, servers) : prefixWords(tool, prefix, list);
      const words = changed(meant, prefix === undefined || list === "allow" ? null : IGNORED);
      const said = `${keys.join(".")}: ${text}`;
      entries.push({
        group: groupOf(tool),
        list,
        said,
        words,
        isAll: prefix === undefined,
        rank,
        origin: item.origin,
        taker,
      });
    }
  entries.push(...refusals(root, taker));
  for (const [name, server] of entriesAt(root, "mcpServers")) {
    const trust = nodeAt(server, "trust");
    if (trust === undefined || readFlag(trust)?.value !== true) continue;
    const words = serverRule(name, null);
    const said = `mcpServers.${name}.trust`;
    entries.push({
      group: name,
      list: "allow",
      said,
      words,
      isAll: true,
      rank: RANKS.trusted,
      origin: trust.origin,
      taker,
    });
  }
  for (const item of itemsAt(root, "mcp", "excluded")) {
    const name = readText(item)?.value ?? "";
    taker.take("deny", `mcp.excluded: ${name}`, serverRule(name, null), item.origin);
  }
  for (const [keys, why] of OTHERS) {
    const node = nodeAt(root, ...keys);
    if (node !== undefined && !isNull(node)) taker.leave(keys.join("."), why, node.origin);
  }
  return entries;
}

/** What the lists of allowed tools refuse besides: all other commands, and all other tools. */
function refusals(root: ConfigNode, taker: RuleTaker): readonly RankedEntry[] {
  const refusing = (keys: readonly string[], group: string, rank: number): readonly RankedEntry[] => {
    const node = nodeAt(root, ...keys);
    if (node?.kind !== "list" || node.items.length === 0) return [];
    const what = group === SHELL ? "all other commands" : "all other tools";
    const words = `with ${keys.join(".")}, Gemini CLI refuses ${what}; a denial of the rest has no form here`;
    const said = `${what}, by ${keys.join(".")}`;
    return [{ group, list: "deny", said, words, isAll: true, rank, origin: node.origin, taker }];
  };
  const narrows = [["tools", "allowed"], ["allowedTools"]].filter((keys) =>
    itemsAt(root, ...keys).some((item) => /^(?:run_shell_command|ShellTool)\(/.test(readText(item)?.value ?? "")),
  );
  return [
    ...narrows.flatMap((keys) => refusing(keys, SHELL, RANKS.narrowed)),
    ...refusing(["tools", "core"], "*", RANKS.core),
    ...refusing(["coreTools"], "*", RANKS.core),
  ];
}

const IGNORED = "stricter: Gemini CLI 0.61.0 takes no notice of what is in brackets here";

const OTHERS: readonly (readonly [readonly string[], string])[] = [
  [["tools", "autoAccept"], MODES],
  [["autoAccept"], MODES],
  [["general", "defaultApprovalMode"], MODES],
];

/** A policy file of Gemini CLI: of several rules that match, the one with the highest priority counts. */
export function takeGeminiPolicy(root: ConfigNode, taker: RuleTaker): readonly RankedEntry[] {
  for (const item of itemsAt(root, "safety_checker"))
    taker.leave("[[safety_checker]]", "programs that judge calls are hooks here", item.origin);
  return itemsAt(root, "rule").flatMap((rule) => entriesOf(rule, taker));
}

const DECISIONS: ReadonlyMap<string, RuleList> = new Map([
  ["allow", "allow"],
  ["ask_user", "ask"],
  ["deny", "deny"],
]);

function entriesOf(rule: ConfigNode, taker: RuleTaker): readonly RankedEntry[] {
  const { origin } = rule;
  const textAt = (key: string): string | null => readText(nodeAt(rule, key))?.value ?? null;
  const list = DECISIONS.get(textAt("decision") ?? "");
  const server = textAt("mcpName");
  const tools = textsAt(rule, "toolName");
  const names = tools.length === 0 ? ["*"] : tools;
  if (list === undefined) {
    taker.leave(`rule about ${names.join(", ")}`, "its decision is neither allow nor deny nor ask_user", origin);
    return [];
  }
  const condition = conditionOf(rule);
  const rank = TIERS[taker.side] + (readNumber(nodeAt(rule, "priority"))?.value ?? 0);
  return names.flatMap((name) => {
    const about = matchesOf(rule);
    return about.map(({ shown, words }): RankedEntry => {
      const tool = server === null ? name : `${server}/${name}`;
      const said = `rule ${list} ${tool}${shown}`;
      const meant = condition === null ? null : withCondition(condition, list);
      const isAll = shown === "" && condition === null;
      const own = words === null ? wholeWords(server, name, list) : words(name, list);
      const entry = { group: server === null ? groupOf(name) : tool, list, said, isAll, rank, origin, taker };
      return { ...entry, words: typeof meant === "string" ? meant : changed(own, meant?.change ?? null) };
    });
  });
}

interface Match {
  readonly shown: string;
  /** Null: every call. */
  readonly words: ((tool: string, list: RuleList) => Words) | null;
}

function matchesOf(rule: ConfigNode): readonly Match[] {
  const prefixes = textsAt(rule, "commandPrefix");
  if (prefixes.length > 0)
    return prefixes.map((prefix) => ({
      shown: `(${prefix})`,
      words: (tool, list) => prefixWords(tool, prefix, list),
    }));
  const regex = readText(nodeAt(rule, "commandRegex"))?.value;
  const pattern = readText(nodeAt(rule, "argsPattern"))?.value;
  const source = regex ?? /^"command":"(.+)$/s.exec(pattern ?? "")?.[1];
  if (source !== undefined) return [{ shown: `(/${source}/)`, words: (_, list) => commandRegex(source, list) }];
  if (pattern === undefined) return [{ shown: "", words: null }];
  return [{ shown: `(arguments /${pattern}/)`, words: (tool, list) => anyArguments(tool, list) }];
}

/** It is compared with the arguments as JSON, in which a command ends with a quote. */
function commandRegex(source: string, list: RuleList): Words {
  if (list === "allow" && /(?<!\\)[\^$]/.test(source)) return "with an anchor in it, it matches nothing there";
  if (/["\\]["\\]/.test(source)) return "it is about quotes, which rules here do not see";
  return regexRule(`^${source}`, "", list);
}

function anyArguments(tool: string, list: RuleList): Words {
  if (list === "allow") return "arguments have other names here, so a pattern for them means something else";
  return changed(toolWords(tool, list, []), "stricter: every call, as arguments have other names here");
}

function wholeWords(server: string | null, name: string, list: RuleList): Words {
  return server === null ? toolWords(name, list, []) : serverRule(server, name === "*" ? null : name);
}

function prefixWords(tool: string, prefix: string, list: RuleList): Words {
  if (groupOf(tool) !== SHELL) return "only a shell command can begin with something";
  if (list === "allow" && prefix !== prefix.trim()) return "with a blank at its end, it matches nothing there";
  const words = plainWords(prefix);
  return words === null ? "it is more than words" : wordsRule(words, "prefix");
}

/** When a rule holds only sometimes. */
function conditionOf(rule: ConfigNode): { readonly isPlan: boolean; readonly key: string } | null {
  const modes = textsAt(rule, "modes");
  if (modes.length > 0) return { isPlan: modes.every((mode) => mode === "plan"), key: "modes" };
  const key = ["interactive", "subagent", "toolAnnotations"].find((one) => !isNull(nodeAt(rule, one)));
  return key === undefined ? null : { isPlan: false, key };
}

function withCondition({ isPlan, key }: { isPlan: boolean; key: string }, list: RuleList): string | { change: string } {
  if (isPlan) return "in plan mode, what can change something is denied here anyway";
  if (list === "allow") return `it holds only sometimes (${key}), and a rule here always`;
  return { change: `stricter: always, and not only where "${key}" says so` };
}

function changed(words: Words, change: string | null): Words {
  if (typeof words === "string" || change === null) return words;
  return { rules: words.rules, change: words.change === undefined ? change : `${words.change}; ${change}` };
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["ShellTool", SHELL],
  ["ReadFileTool", "read_file"],
  ["WriteFileTool", "write_file"],
  ["EditTool", "replace"],
  ["WebFetchTool", "web_fetch"],
  ["WebSearchTool", "google_web_search"],
]);

function groupOf(tool: string): string {
  return NAMES.get(tool) ?? tool;
}

function toolWords(named: string, list: RuleList, servers: readonly string[]): Words {
  const tool = groupOf(named);
  const isAllow = list === "allow";
  switch (tool) {
    case "*":
      return list === "ask" ? "what no rule covers is asked about here anyway" : `it is about every tool; ${MODES}`;
    case SHELL:
      return { rules: ["Bash"] };
    case "read_file":
    case "read_many_files":
      return allFiles("Read", list);
    case "write_file":
      return allFiles("Edit", list);
    case "replace":
      return isAllow ? "rules for edits here let files be created too" : allFiles("Edit", list);
    case "glob":
    case "grep_search":
    case "search_file_content":
    case "list_directory":
      if (isAllow) return "searching in the working folder needs no rule here";
      return { rules: [tool === "glob" ? "glob" : tool === "list_directory" ? "LS" : "grep"], change: SEARCHES };
    case "web_fetch":
      return { rules: ["WebFetch"] };
    case "google_web_search":
      return { rules: ["WebSearch"] };
    case "invoke_agent":
      return { rules: ["Task"] };
    default:
      if (tool.startsWith("mcp_")) return gluedTool(tool.slice(4), "_", servers, list);
      return tool.includes("__") ? gluedTool(tool, "__", servers, list) : "no tool here has that name";
  }
}

const SEARCHES = "stricter: rules about one tool for reading are here about all of them";

function textsAt(rule: ConfigNode, key: string): readonly string[] {
  const node = nodeAt(rule, key);
  return readNames(node)?.value.map(({ value }) => value) ?? (node === undefined ? [] : [readText(node)?.value ?? ""]);
}
