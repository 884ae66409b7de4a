import { readlinkSync } from "node:fs";
import { homedir } from "node:os";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { Decision } from "../../core/call/decision.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { createResolver, type Resolver } from "../../core/catalog/resolver.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { compileRules } from "../../core/rules/compile-rules.ts";
import { decide } from "../../core/rules/decide.ts";
import { narrowestRules } from "../../core/rules/narrowest-rules.ts";
import { isUntrusted } from "../../core/tool/tool.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { toCallSubject } from "../../runtime/permissions/call-subject.ts";
import type { CommandInput } from "./command.ts";
import { toConfigInput } from "./config-input.ts";
import { escapeText, toJson } from "./escape-text.ts";
import { answer, loadQuestion } from "./load-question.ts";
import { readOverrides } from "./overrides.ts";
import { readArgumentsOption } from "./read-arguments-option.ts";

/** `toolcrib check TOOL --args JSON`: what rules and mode decide about a call, without running it. Status 0: allow. */
export async function runCheck(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const [name = ""] = args.operands;
  const given = await readArgumentsOption(input);
  const config = await loadConfig(toConfigInput(input, readOverrides(args)));
  const { toolset } = await loadToolset(input, name, config);
  const resolver = resolverOf(toolset);
  const entry = findEntry(resolver, name);
  const placement = toolset.placements.find((one) => one.entry === entry);
  const { decision, suggestions } = await judge(entry, given, { config, resolver, input });
  const row = toRow(entry, decision, suggestions, placement?.standing ?? "hidden");
  if (args.has("json")) io.out(toJson(row, io.isTTY));
  else io.out(formatDecision(entry, decision, suggestions, placement?.standing ?? "hidden"));
  return decision.decision === "allow" ? 0 : 1;
}

/** A built-in tool needs no server; only for other names they are started. */
async function loadToolset(input: CommandInput, name: string, config: Config): Promise<{ readonly toolset: Toolset }> {
  if (input.args.value("world") === null) {
    const { loadConfigured } = await import("./load-configured.ts");
    const quick = answer(await loadConfigured(input, readOverrides(input.args)), input.log);
    const isKnown = resolverOf(quick.toolset).resolve(name).kind === "found";
    if (isKnown || config.servers.size === 0) return quick;
  }
  return answer(await loadQuestion(input), input.log);
}

function resolverOf({ catalog, scene }: Toolset): Resolver {
  return createResolver({ catalog, sets: scene.sets, servers: scene.servers.keys() });
}

function findEntry(resolver: Resolver, name: string): Entry {
  const found = resolver.resolve(name);
  const entries = found.kind === "found" ? found.meaning.entries : [];
  const [entry, ...others] = entries;
  if (entry !== undefined && (others.length === 0 || found.kind !== "found" || !found.meaning.explicit)) return entry;
  const nearest = found.kind === "unknown" ? resolver.nearest(name) : entries.map(({ identity }) => identity);
  const advice =
    nearest.length === 0
      ? '"toolcrib list" shows them all'
      : `did you mean ${nearest.map((near) => JSON.stringify(near)).join(" or ")}?`;
  throw new ToolcribError("tool.not-found", `there is no tool ${JSON.stringify(name)}; ${advice}`, { names: nearest });
}

interface Judging {
  readonly config: Config;
  readonly resolver: Resolver;
  readonly input: CommandInput;
}

interface Judged {
  readonly decision: Decision;
  readonly suggestions: readonly string[];
}

async function judge(
  entry: Entry,
  given: Readonly<Record<string, unknown>>,
  { config, resolver, input }: Judging,
): Promise<Judged> {
  const { io } = input;
  const { workspace } = config.trust;
  const { subject, cwd } = await toCallSubject(entry.tool, given, workspace);
  const world = { cwd, workspace, home: io.env.HOME || homedir(), readLink };
  const rules = compileRules(config.permissions, { ...world, cwd: workspace });
  const isMeantBy = (identifier: string): boolean => {
    const found = resolver.resolve(identifier);
    return found.kind === "found" && found.meaning.entries.includes(entry);
  };
  const isBelieved = entry.tool.traits.readOnly && !isUntrusted(entry.tool);
  const call = { toolName: entry.wireName, isMeantBy, subject, arguments: given, readOnly: isBelieved };
  const decision = decide(call, rules, { ...world, mode: config.permissions.mode.value, allowReadOnly: true });
  return { decision, suggestions: decision.decision === "ask" ? narrowestRules(call, entry.identity, world) : [] };
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function toRow(entry: Entry, decision: Decision, suggestions: readonly string[], standing: string): object {
  const { decision: kind, code, text, origin, rule, parts } = decision;
  return {
    tool: entry.wireName,
    id: entry.identity,
    standing,
    decision: kind,
    code,
    text,
    origin: formatOrigin(origin),
    rule,
    parts,
    suggestions,
  };
}

function formatDecision(entry: Entry, decision: Decision, suggestions: readonly string[], standing: string): string {
  const { decision: kind, text, origin, parts } = decision;
  const lines = [
    `${escapeText(entry.wireName)}: ${kind}`,
    `  ${escapeText(text)} (${escapeText(formatOrigin(origin))})`,
  ];
  const others = parts.filter((part) => part.text !== text && part.part !== "");
  for (const { decision: own, text: why } of others) lines.push(`  ${own.padEnd(5)}  ${escapeText(why)}`);
  if (suggestions.length > 0) lines.push(`To allow it always: ${suggestions.map(escapeText).join(", ")}`);
  if (standing === "hidden")
    lines.push(`The tool is hidden in this scene: "toolcrib why ${escapeText(entry.identity)}" says why.`);
  return `${lines.join("\n")}\n`;
}
