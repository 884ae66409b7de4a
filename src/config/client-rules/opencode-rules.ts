import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, readFlag, readText } from "../../core/shape/read-node.ts";
import { RULE_LISTS, type RuleList, type RuleTaker, type Words } from "./client-rule.ts";
import { wildcardRule } from "./command-words.ts";
import { addressRule, allFiles, crossingPath, gluedTool } from "./place-words.ts";
import type { RankedEntry } from "./settle-ranks.ts";

/** Permissions about something that is no tool here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["external_directory", "files outside of the folder are asked about here unless a rule names them"],
  ["doom_loop", "calls that repeat are not asked about here"],
  ["question", "questions of the model need no permission here"],
  ["todowrite", "notes need no permission here"],
  ["todoread", "notes need no permission here"],
  ["lsp", "there is no such tool here"],
  ["skill", "skills need no permission here; what they do is judged call by call"],
]);

/** `permission` of opencode's configuration: of several entries that match, the last one counts. */
export function takeOpencodeRules(root: ConfigNode, taker: RuleTaker): readonly RankedEntry[] {
  const servers = entriesAt(root, "mcp").map(([name]) => name);
  const node = nodeAt(root, "permission");
  const entries: RankedEntry[] = [];
  const shown = node?.kind === "map" || node === undefined || isNull(node) ? entriesAt(node) : [["*", node] as const];
  for (const [tool, value] of shown) {
    const why = ELSEWHERE.get(tool);
    if (why !== undefined) taker.leave(`permission.${tool}`, why, value.origin);
    else entries.push(...entriesOf(tool, value, servers, entries.length, taker));
  }
  for (const [tool, value] of entriesAt(root, "tools"))
    if (readFlag(value)?.value === false)
      taker.take("deny", `tools.${tool}: false`, toolWords(tool, "*", "deny", servers, taker), value.origin);
  for (const key of ["agent", "mode"])
    for (const [name, agent] of entriesAt(root, key))
      for (const own of ["permission", "tools"]) {
        const said = nodeAt(agent, own);
        if (said !== undefined && !isNull(said))
          taker.leave(`${key}.${name}.${own}`, "it is for one agent, and rules here are for all", said.origin);
      }
  return entries;
}

/** Every tool at once. */
function whole(list: RuleList): Words {
  return list === "ask"
    ? "what no rule covers is asked about here anyway"
    : "it is about every tool; permissions.mode says that here, for all clients";
}

function entriesOf(
  tool: string,
  value: ConfigNode,
  servers: readonly string[],
  from: number,
  taker: RuleTaker,
): readonly RankedEntry[] {
  const patterns: readonly (readonly [string, ConfigNode])[] =
    value.kind === "map" ? entriesAt(value) : [["*", value] as const];
  return patterns.flatMap(([pattern, node], at): readonly RankedEntry[] => {
    const said = value.kind === "map" ? `permission.${tool}: ${JSON.stringify(pattern)}` : `permission.${tool}`;
    const action = readText(node)?.value ?? "";
    const list = RULE_LISTS.find((one) => one === action);
    if (list === undefined) {
      taker.leave(said, `${JSON.stringify(action)} is neither allow nor ask nor deny`, node.origin);
      return [];
    }
    const shown = `${said}: ${list}`;
    const words = tool === "*" ? whole(list) : toolWords(tool, pattern, list, servers, taker);
    const isAll = /^\**$/.test(pattern);
    const group = tool === "*" ? tool : `${taker.side} ${tool}`;
    return [{ group, list, said: shown, words, isAll, rank: from + at, origin: node.origin, taker }];
  });
}

function toolWords(
  tool: string,
  pattern: string,
  list: RuleList,
  servers: readonly string[],
  { side }: RuleTaker,
): Words {
  const isAll = /^\**$/.test(pattern);
  switch (tool) {
    case "bash":
      return wildcardRule(pattern, list);
    case "edit":
      return crossingPath("Edit", pattern, list, side);
    case "read":
      return crossingPath("Read", pattern, list, side);
    case "webfetch":
      return addressRule(pattern, list);
    case "write":
    case "patch":
    case "multiedit":
      return list === "allow" ? "rules for edits here are about all of them" : allFiles("Edit", list);
    case "grep":
    case "glob":
    case "list":
      if (list === "allow") return "searching in the working folder needs no rule here";
      return isAll
        ? { rules: [{ grep: "grep", glob: "glob", list: "LS" }[tool]] }
        : "rules for searches are about files here";
    case "websearch":
    case "codesearch":
      return isAll && tool === "websearch" ? { rules: ["WebSearch"] } : "there is no such tool here";
    case "task":
      return isAll ? { rules: ["Task"] } : { rules: [`Task(${pattern})`] };
    default:
      if (!isAll) return "what a server's tool gets is not compared with one pattern here";
      return gluedTool(tool, "_", servers, list);
  }
}
