import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type CompiledRules, compileRules, loadPatterns, type RuleLists } from "../../core/rules/compile-rules.ts";
import { readRule } from "../../core/rules/rule.ts";
import type { ConfigNode } from "../../core/shape/node.ts";
import { expandName, type ForeignPlaces, locate } from "../import/find-foreign.ts";
import type { FilePlace } from "../import/products.ts";
import { readForeign } from "../import/read-foreign.ts";
import type { Readers } from "../layers/readers.ts";
import { takeClaudeRules } from "./claude-rules.ts";
import {
  type ClientRule,
  createTaker,
  type LeftRule,
  type RULE_LISTS,
  type RuleClient,
  type RuleTaker,
} from "./client-rule.ts";
import { takeCodexRules, takeCodexSettings } from "./codex-rules.ts";
import { takeCopilotAddresses, takeCopilotApprovals } from "./copilot-rules.ts";
import { takeGeminiPolicy, takeGeminiSettings } from "./gemini-rules.ts";
import { takeOpencodeRules } from "./opencode-rules.ts";
import { type RankedEntry, settleRanks } from "./settle-ranks.ts";
import { takeCodeRules } from "./vscode-rules.ts";

/** Permissions of all clients' files, in our words. */
export interface ClientRules {
  /** Files that were read, as the user would write them. */
  readonly files: readonly string[];
  readonly rules: readonly ClientRule[];
  readonly left: readonly LeftRule[];
}

interface RuleFile {
  readonly client: RuleClient;
  readonly places: readonly FilePlace[];
  /** Entries of which not the strictest counts are settled when all files are read. */
  readonly take: (root: ConfigNode, taker: RuleTaker, workspace: string) => readonly RankedEntry[];
}

type Take = RuleFile["take"];

/** A client where the strictest entry counts, as here. */
function unranked(take: (...given: Parameters<Take>) => void): Take {
  return (...given) => {
    take(...given);
    return [];
  };
}

const FILES: readonly RuleFile[] = [
  {
    client: "claude-code",
    places: [
      ["user", "claudeSettings", "settings.json"],
      ["project", "workspace", ".claude/settings.json"],
      ["project", "workspace", ".claude/settings.local.json"],
    ],
    take: unranked(takeClaudeRules),
  },
  {
    client: "codex",
    places: [
      ["user", "codex", "config.toml"],
      ["project", "workspace", ".codex/config.toml"],
    ],
    take: unranked(takeCodexSettings),
  },
  {
    client: "gemini-cli",
    places: [
      ["user", "home", ".gemini/settings.json"],
      ["project", "workspace", ".gemini/settings.json"],
    ],
    take: takeGeminiSettings,
  },
  {
    client: "gemini-cli",
    places: [
      ["user", "home", ".gemini/policies/*.toml"],
      ["project", "workspace", ".gemini/policies/*.toml"],
    ],
    take: takeGeminiPolicy,
  },
  {
    client: "copilot-cli",
    // Its approvals are for one folder each.
    places: [["project", "copilot", "permissions-config.json"]],
    take: unranked(takeCopilotApprovals),
  },
  {
    client: "copilot-cli",
    places: [
      ["user", "copilot", "config.json"],
      ["user", "copilot", "settings.json"],
    ],
    take: unranked(takeCopilotAddresses),
  },
  {
    client: "opencode",
    places: [
      ["user", "config", "opencode/opencode.json"],
      ["user", "config", "opencode/opencode.jsonc"],
      ["project", "workspace", "opencode.json"],
      ["project", "workspace", "opencode.jsonc"],
    ],
    take: takeOpencodeRules,
  },
  {
    client: "vscode",
    places: [
      ["user", "codeApp", "User/settings.json"],
      ["project", "workspace", ".vscode/settings.json"],
    ],
    take: unranked(takeCodeRules),
  },
];

/** Files in Codex's own language. */
const CODEX_RULES: readonly FilePlace[] = [
  ["user", "codex", "rules/*.rules"],
  ["project", "workspace", ".codex/rules/*.rules"],
];

/** Reads what exists of these clients. A file that cannot be read is reported, and blocks no other. */
export async function readClientRules(
  places: ForeignPlaces,
  readers: Readers,
  wanted: readonly RuleClient[],
): Promise<ClientRules> {
  const files: string[] = [];
  const rules: ClientRule[] = [];
  const left: LeftRule[] = [];
  const ranked: RankedEntry[] = [];
  const takers: ReturnType<typeof createTaker>[] = [];
  const read = async (
    client: RuleClient,
    place: FilePlace,
    take: (text: string, file: string, taker: RuleTaker) => Promise<readonly RankedEntry[]>,
  ): Promise<void> => {
    if (!wanted.includes(client)) return;
    for (const { path, file, side } of await expandName(locate(place, places), places, readers)) {
      const taker = createTaker(client, side);
      takers.push(taker);
      try {
        const text = await readers.readText(path);
        if (text === null) continue;
        ranked.push(...(await take(text, file, taker)));
        files.push(file);
      } catch (error) {
        leaveFile(file, error, taker);
      }
    }
  };
  for (const { client, places: found, take } of FILES)
    for (const place of found)
      await read(client, place, async (text, file, taker) => {
        const root = await readForeign(text, file);
        return root === null ? [] : take(root, taker, places.cwd);
      });
  for (const place of CODEX_RULES)
    await read("codex", place, async (text, file, taker) => {
      takeCodexRules(text, file, taker);
      return [];
    });
  // What counts is decided among all of one client's files.
  for (const client of new Set(takers.map((taker) => taker.client)))
    settleRanks(ranked.filter(({ taker }) => takers.some((one) => one === taker && one.client === client)));
  for (const taker of takers) {
    const { rules: own, left: without } = taker.done();
    const { good, broken } = await sound(own);
    rules.push(...good);
    left.push(...without, ...broken);
  }
  return { files, rules, left };
}

function leaveFile(file: string, error: unknown, taker: RuleTaker): void {
  const whole: Origin = { kind: "file", file, line: null };
  const [part] = isToolcribError(error) ? error.parts : [];
  if (part !== undefined) taker.leave("the file", `it is not valid: ${part.what}`, part.origin ?? whole);
  else taker.leave("the file", `it cannot be read (${error instanceof Error ? error.message : String(error)})`, whole);
}

/** A world in which rules are only looked at. */
const NOWHERE = { cwd: "/", home: "/", workspace: "/" };

/** Rules that can be read and matched here; the others are left out, as a whole entry. */
async function sound(rules: readonly ClientRule[]): Promise<{ good: ClientRule[]; broken: LeftRule[] }> {
  const good: ClientRule[] = [];
  const broken: LeftRule[] = [];
  for (const rule of rules) {
    const why = await flawOf(rule);
    if (why === null) good.push(rule);
    else broken.push({ client: rule.client, what: rule.said, why, origin: rule.origin });
  }
  return { good, broken };
}

async function flawOf(rule: ClientRule): Promise<string | null> {
  try {
    await compileClientRules([rule], NOWHERE);
    return null;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return text.startsWith(`${formatOrigin(rule.origin)}: `) ? text.slice(formatOrigin(rule.origin).length + 2) : text;
  }
}

/** Rules as they judge calls. Throws where one cannot be read. */
export async function compileClientRules(
  rules: readonly ClientRule[],
  world: Parameters<typeof compileRules>[1],
): Promise<CompiledRules> {
  const of = (list: (typeof RULE_LISTS)[number]): RuleLists["deny"] =>
    rules
      .filter((rule) => rule.list === list)
      .flatMap((rule) =>
        rule.rules.map((text) => {
          const value = readRule(text);
          if (value === null) throw new Error(`the rule ${JSON.stringify(text)} cannot be read`);
          return { value, origin: rule.origin };
        }),
      );
  const lists: RuleLists = { deny: of("deny"), ask: of("ask"), allow: of("allow") };
  await loadPatterns(lists);
  return compileRules(lists, world);
}
