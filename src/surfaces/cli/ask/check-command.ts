import type { Config } from "../../../config/config.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import type { Decision } from "../../../core/call/decision.ts";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { Entry } from "../../../core/catalog/entry.ts";
import { createResolver, type Resolver } from "../../../core/catalog/resolver.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Filtered } from "../../../core/events/event-types.ts";
import { quoteWord } from "../../../core/rules/shell/quote-word.ts";
import { isBuiltin, isUntrusted, type Tool } from "../../../core/tool/tool.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { foretellFilters } from "../../../runtime/filters/call-filters.ts";
import { hookNames, isMatched } from "../../../runtime/hooks/hook-matcher.ts";
import type { GrantStore } from "../../../runtime/permissions/grant-store.ts";
import { foretell } from "../../../runtime/permissions/permissions.ts";
import { createRuleBook } from "../../../runtime/permissions/rule-book.ts";
import { isMeantByRule } from "../../../runtime/permissions/rule-condition.ts";
import { findExplanations } from "../../../runtime/report/explanation-rows.ts";
import type { SourceReport } from "../../../runtime/report/source-report.ts";
import { createRuleSettings } from "../../../runtime/session/calls/call-rules.ts";
import { createSessionSandbox } from "../../../runtime/session/calls/session-sandbox.ts";
import { isTrustedServer } from "../../../runtime/session/sources/trusted-server.ts";
import { BUILTIN_TOOLS } from "../../../sources/builtin/definitions.ts";
import { escapeText, toJson } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { type Overrides, readOverrides } from "../command-line/overrides.ts";
import { readArgumentsOption } from "../command-line/read-arguments-option.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { findWorkspace } from "../running/find-running.ts";
import { withGrants } from "../stored/workspace-grants.ts";
import { checkHook, formatHookCheck, type HookCheck, toHookRow } from "./check-client.ts";
import { forClient } from "./for-client.ts";
import { answer, loadQuestion, withCaller } from "./load-question.ts";

/** `toolcrib check TOOL --args JSON`: what rules, mode and grants decide about a call; nothing is run. Status 0: allow. */
export async function runCheck(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const [tool = ""] = args.operands;
  const words = args.operands.slice(1);
  if (words.length > 0 && args.has("args")) throw usage("give the command as words or with --args, not both");
  const asked = { tool, words, args: await readArgumentsOption(input) };
  const { client } = readOverrides(args);
  const hook = client === null ? null : await checkHook(input, client.value, asked);
  const here = await (hook === null ? checkHere(input, asked) : checkGateway(input, asked, hook));
  if (args.has("json")) {
    const row = here === null ? null : toRow(here);
    io.out(toJson(hook === null ? row : { ...toHookRow(hook), gateway: row }, io.isTTY));
  } else {
    if (hook !== null) io.out(formatHookCheck(hook));
    if (here !== null) io.out(`${hook === null ? "" : "Through Toolcrib's gateway "}${formatDecision(here)}`);
  }
  const decision = hook === null ? here?.judged.decision.decision : hook.answer.answer;
  return decision === "allow" ? 0 : 1;
}

interface AskedHere {
  readonly tool: string;
  readonly words: readonly string[];
  readonly args: Readonly<Record<string, unknown>>;
}

interface Checked {
  readonly entry: Entry;
  readonly judged: Judged;
  readonly standing: string;
}

/** What the gateway decides, where it offers the tool to that client too; else the client has only its own. */
async function checkGateway(input: CommandInput, asked: AskedHere, { isServed }: HookCheck): Promise<Checked | null> {
  const isBuiltinName = BUILTIN_TOOLS.some(({ name }) => name === asked.tool);
  if (!isServed && !isBuiltinName) return null;
  try {
    const found = await checkHere(input, asked);
    return found.standing === "hidden" ? null : found;
  } catch (error) {
    if (isToolcribError(error) && error.code === "tool.not-found") return null;
    throw error;
  }
}

async function checkHere(input: CommandInput, { tool: name, words, args: written }: AskedHere): Promise<Checked> {
  const overrides = await withCaller(input, readOverrides(input.args));
  const config = await loadAsked(input, overrides);
  input.log.notices(config.notices);
  const { toolset, sources } = await loadToolset(input, name, overrides);
  // A call names a tool, so a toolset of the same name is not meant.
  const named = toolset.placements.filter(({ entry: { wireName } }) => wireName === name);
  const own = named.find(({ standing }) => standing !== "hidden") ?? named[0];
  const entry = own?.entry ?? findEntry(toolset, name, sources);
  const placement = toolset.placements.find((one) => one.entry === entry);
  const given = words.length === 0 ? written : toCommandArguments(entry, words);
  const judged = await withGrants(input, (grants) => judge(entry, given, { config, toolset, input, grants }));
  return { entry, judged, standing: placement?.standing ?? "hidden" };
}

/** The words as this shell passed them on, so that a quoted one stays one; a single word is a whole line. */
function toCommandArguments({ tool, identity }: Entry, words: readonly string[]): Readonly<Record<string, unknown>> {
  const isShell = tool.traits.hostShell || (tool.name === "bash" && isBuiltin(tool));
  if (!isShell)
    throw usage(`${identity} runs no commands; give its arguments as JSON: toolcrib check ${identity} --args '{…}'`);
  const [line = "", ...more] = words;
  return { command: more.length === 0 ? line : words.map(quoteWord).join(" ") };
}

interface Loaded {
  readonly toolset: Toolset;
  readonly sources: readonly SourceReport[];
}

/** A built-in tool needs no source but itself; only for other names they are started. */
async function loadToolset(input: CommandInput, name: string, overrides: Overrides): Promise<Loaded> {
  const { loadConfigured } = await import("./load-configured.ts");
  const quick = answer(await forClient(await loadConfigured(input, overrides), overrides), input.log);
  if (resolverOf(quick.toolset).resolve(name).kind === "found") return { toolset: quick.toolset, sources: [] };
  const question = await loadQuestion(input, overrides);
  const { toolset, notices } = answer(question, input.log);
  return { toolset: { ...toolset, notices }, sources: question.sources ?? [] };
}

function resolverOf({ catalog, scene }: Toolset): Resolver {
  return createResolver({ catalog, sets: scene.sets, servers: scene.servers.keys() });
}

/** One tool, or none: what is decided about one of several says nothing about the others. */
function findEntry(toolset: Toolset, name: string, sources: readonly SourceReport[]): Entry {
  const known = findExplanations(toolset, name, sources);
  const found = resolverOf(toolset).resolve(name);
  const [entry, ...others] = found.kind === "found" ? found.meaning.entries : [];
  if (entry !== undefined && others.length === 0) return entry;
  const names = known.map(({ identity }) => identity);
  const shown = `${names.slice(0, MOST_NAMES).join(", ")}${names.length > MOST_NAMES ? ", …" : ""}`;
  const text = `${JSON.stringify(name)} means several tools; check one of them: ${shown}`;
  throw new ToolcribError("tool.not-found", text, { names });
}

const MOST_NAMES = 10;

interface Judged {
  readonly decision: Decision;
  readonly suggestions: readonly string[];
  /** Hooks that would see the call, and may refuse or change it. */
  readonly hooks: readonly string[];
  /** What filters find in the arguments, and the judges outside that would see them. */
  readonly filters: { readonly found: readonly Filtered[]; readonly judges: readonly string[] };
  /** The model that would judge the call before anybody is asked; null where none would. */
  readonly classifier: string | null;
}

interface Judging {
  readonly config: Config;
  readonly toolset: Toolset;
  readonly input: CommandInput;
  readonly grants: GrantStore;
}

/** Rules, mode and stored approvals, as a session would apply them to the call. */
async function judge(
  entry: Entry,
  given: Readonly<Record<string, unknown>>,
  { config, toolset, input: { io }, grants }: Judging,
): Promise<Judged> {
  const home = homeFolder(io.env);
  const workspace = await findWorkspace({ io });
  const path = io.env.PATH ?? "";
  const rules = createRuleSettings({ config: () => config, toolset: () => toolset, workspace, home, path });
  const isTrusted = (tool: Tool): boolean => !isUntrusted(tool) || isTrustedServer(tool, config);
  const sandbox = createSessionSandbox({ workspace, home, path });
  if (toolset.scene.sandbox.active.value) await sandbox.apply(config);
  const book = createRuleBook({
    ...{ rules, isTrusted, grants: () => grants, today: () => Date.now() },
    confinement: sandbox.confinement,
  });
  const call = { id: "check", toolName: entry.wireName, arguments: given };
  const { step, ...filters } = await foretellFilters(
    { call, entry, tool: entry.tool, args: given },
    { filters: config.filters, means: (...asked) => rules().means(...asked) },
  );
  if (step.kind === "end")
    return {
      decision: refusedByFilter(step.result, filters.found, config),
      suggestions: [],
      hooks: [],
      filters,
      classifier: null,
    };
  const prepared = step.value;
  const ruling = await book.rule(prepared);
  const byRules = foretell(ruling, prepared);
  const hooks: string[] = [];
  let decision = byRules;
  for (const event of ["preToolUse", "permissionRequest"] as const) {
    // Hooks of the second kind run only where somebody would be asked, and answer in that person's place.
    if (event === "permissionRequest" && decision.decision !== "ask") continue;
    for (const { matcher, when, command, args, dialect, refusal, origin } of config.hooks.get(event) ?? []) {
      if (!isMatched(matcher, hookNames(entry), dialect)) continue;
      if (when !== null && !(await isMeantByRule(when, prepared, rules()))) continue;
      if (refusal === undefined) hooks.push([command, ...(args ?? [])].join(" "));
      else decision = { ...byRules, decision: "deny", code: "permission.denied", text: refusal, origin, rule: null };
    }
  }
  // What an ask rule names is asked about again, whatever is kept.
  const isOpen = decision.decision === "ask" && decision.code !== "permission.asked";
  const named = isOpen ? config.permissions.classifier : null;
  const classifier = named === null ? null : `${named.value} (${formatOrigin(named.origin)})`;
  return { decision, suggestions: isOpen ? ruling.narrowest(prepared) : [], hooks, filters, classifier };
}

function refusedByFilter(
  { textResultForLlm: text }: ToolResult,
  found: readonly Filtered[],
  { filters }: Config,
): Decision {
  const places = found.flatMap(({ act, origin }) => (act === "note" ? [] : [origin]));
  const own = filters.find(({ origin }) => places.includes(formatOrigin(origin)));
  const { origin } = own ?? { origin: { kind: "default" } };
  return { decision: "deny", code: "filter.blocked", text, origin, rule: null, parts: [] };
}

function toRow({ entry, judged, standing }: Checked): object {
  const { decision, suggestions, hooks, filters, classifier } = judged;
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
    hooks: { run: false, matching: hooks },
    ...(filters.found.length + filters.judges.length === 0 ? {} : { filters }),
    ...(classifier === null ? {} : { classifier }),
  };
}

const ACTS = { mask: "masks", block: "blocks", note: "notes" } as const;

function formatDecision({ entry, judged, standing }: Checked): string {
  const { decision, suggestions, hooks, filters, classifier } = judged;
  const { decision: kind, text, origin, parts } = decision;
  const lines = [
    `${escapeText(entry.identity)}: ${kind}`,
    `  ${escapeText(text)} (${escapeText(formatOrigin(origin))})`,
  ];
  // What no rule covers is of no interest where something else allows the whole.
  const isSettled = (own: string) => kind === "allow" && own !== "allow";
  const others = parts.filter((part) => part.text !== text && part.part !== "" && !isSettled(part.decision));
  for (const { decision: own, text: why } of others) lines.push(`  ${own.padEnd(5)}  ${escapeText(why)}`);
  if (suggestions.length > 0) lines.push(`To allow it always: ${suggestions.map(escapeText).join(", ")}`);
  for (const { kind: what, count, act, origin: place } of filters.found)
    lines.push(`  A filter ${ACTS[act]} ${what}${count === 1 ? "" : `, ${count} times`} (${escapeText(place)})`);
  if (filters.judges.length > 0)
    lines.push(`Judges are not asked here; these would see the call: ${filters.judges.join(", ")}`);
  if (standing === "hidden")
    lines.push(`The tool is hidden in this scene: "toolcrib why ${escapeText(entry.identity)}" says why.`);
  if (classifier !== null)
    lines.push(`No model is asked here; this one would judge the call: ${escapeText(classifier)}`);
  if (hooks.length > 0)
    lines.push(`Hooks are not run here; these would see the call: ${hooks.map(escapeText).join(", ")}`);
  return `${lines.join("\n")}\n`;
}
