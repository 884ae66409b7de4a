import { type DecidedPart, type Decision, strictest } from "../call/decision.ts";
import { defaultOrigin, type Origin } from "../codes/origin.ts";
import type { CompiledRule, CompiledRules } from "./compile-rules.ts";
import { matchesName } from "./glob-match.ts";
import type { MeantTool } from "./lookup/tool-index.ts";
import { isInside, type PathWorld, placesOf } from "./paths.ts";
import { whyProtected } from "./protected-paths.ts";
import { editRules, readOnlyRules, sandboxRules } from "./ready-rules.ts";
import { RuleTable, type RuleTables, toTables } from "./rule-table.ts";
import type { CommandLine } from "./shell/command-line.ts";
import { asking, byRule, type Finding } from "./shell/finding.ts";
import { hasCommandRules, judgeShell, takesFromOthers } from "./shell/judge-shell.ts";

/** A call as rules see it: what it does, not how the tool spells it. */
export interface RuledCallSubject extends MeantTool {
  readonly toolName: string;
  readonly subject: Subject;
  readonly arguments: unknown;
  /** The tool promises to change nothing, and the caller believes it (X6). */
  readonly readOnly: boolean;
  /** It acts only through calls of its own, each of which is judged. */
  readonly isJudgedInside?: boolean;
}

export type Subject =
  | { readonly kind: "shell"; readonly line: CommandLine }
  /** Typed into a running command, which may be a shell and may already have the start of the line. */
  | { readonly kind: "typed"; readonly line: CommandLine }
  | { readonly kind: "read"; readonly paths: readonly string[] }
  /** `shown`: a change that does not apply shows the content of these files, so they are read as well. */
  | { readonly kind: "write"; readonly paths: readonly string[]; readonly shown?: readonly string[] }
  | { readonly kind: "url"; readonly url: string }
  /** A plan for approval; approving it ends plan mode. */
  | { readonly kind: "plan" }
  | { readonly kind: "other" };

export interface RuleContext extends PathWorld {
  readonly mode: PermissionMode;
  /** Allow read-only calls without a rule; off where every allowed call needs a rule. */
  readonly allowReadOnly: boolean;
  /** The setting by which sandboxed commands need no question; absent if none does. */
  readonly sandboxed?: Origin;
}

const PERMISSION_MODES = ["default", "plan", "accept-edits", "dont-ask", "bypass", "autopilot"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

const NO_RULES: readonly CompiledRule[] = [];

/**
 * Deny, then ask, then the mode, then allow, then the default: ask (X2). The strictest answer of all parts counts.
 * `own`: further allow rules, which few calls have.
 */
export function decide(
  call: RuledCallSubject,
  rules: CompiledRules,
  context: RuleContext,
  own: readonly CompiledRule[] = NO_RULES,
): Decision {
  const tables = toTables(rules);
  return decideIn(call, { ...tables, allow: tables.allow.plus(own) }, context);
}

function decideIn(call: RuledCallSubject, rules: RuleTables, context: RuleContext): Decision {
  const byRules = decideByRules(call, rules, context);
  const { decision, code } = byRules;
  const isRuled = decision === "deny" || RULED.has(code);
  if (context.mode === "plan" && decision !== "deny" && !fitsPlanning(call, rules, context))
    return inMode(
      byRules,
      "deny",
      "permission.mode-denied",
      "the session is planning, and the call can change something",
    );
  if (decision === "ask" && !isRuled) {
    const eased = ease(call, rules, byRules, context);
    if (eased !== null) return eased;
  }
  if (decision === "ask" && (context.mode === "dont-ask" || (context.mode === "bypass" && hides(call, byRules, rules))))
    return inMode(byRules, "deny", "permission.mode-denied", `nobody is asked in this mode, and ${byRules.text}`);
  return decision === "ask" && !isRuled ? askAboutOthers(call, rules, byRules, context) : byRules;
}

/** Commands of a line that only read need no question by themselves, so the reason names one of the others. */
function askAboutOthers(call: RuledCallSubject, rules: RuleTables, asked: Decision, context: RuleContext): Decision {
  const namesReads = rules.allow.has("read");
  if (call.subject.kind !== "shell" || !context.allowReadOnly || namesReads || asked.parts.length < 2) return asked;
  const allow = rules.allow.plus(readOnlyRules(context));
  const { decision, code, text, parts } = decideByRules(call, { ...rules, allow }, context);
  if (decision !== "ask" || code !== asked.code) return asked;
  const open = new Set(parts.flatMap((one) => (one.decision === "allow" ? [] : [one.part])));
  const toOwn = (own: DecidedPart): DecidedPart =>
    own.decision !== "ask" || open.has(own.part)
      ? own
      : { ...own, decision: "allow", code: "permission.read-only", text: `${JSON.stringify(own.part)}: it only reads` };
  return { ...asked, text, parts: asked.parts.map(toOwn) };
}

/** A line that could run anything must not bypass a deny rule in a mode that never asks. */
function hides({ subject }: RuledCallSubject, { code }: Decision, { deny }: RuleTables): boolean {
  const hasDeny = deny.has("shell") || deny.has("read") || deny.has("write");
  return subject.kind === "shell" && code === "permission.unreadable" && hasDeny;
}

/** The decision by rules alone. */
function decideByRules(call: RuledCallSubject, rules: RuleTables, context: PathWorld): Decision {
  const findings = judge(call, rules, context);
  const found = weightiest(findings) ?? asking(call.toolName, "permission.no-rule", `no rule covers ${call.toolName}`);
  const { decision, code, text, rule, origin } = found;
  return { decision, code, text, rule, origin, parts: findings.map(toPart) };
}

/** Reasons to ask that no mode overrides: a rule, and text that rules cannot be matched against. */
const RULED: ReadonlySet<Finding["code"]> = new Set([
  "permission.asked",
  "permission.unreadable",
  "permission.open-pattern",
]);
/** Most important first; files that later runs trust come last. */
const BINDING: readonly Finding["code"][] = [...RULED, "permission.protected-path"];

/** Of several reasons to ask, one that no mode overrides decides for the whole call. */
function weightiest(findings: readonly Finding[]): Finding | undefined {
  const found = strictest(findings);
  if (found?.decision !== "ask") return found;
  const binding = BINDING.map((code) => findings.find((finding) => finding.code === code));
  return binding.find((finding) => finding !== undefined) ?? found;
}

/** Calls that need no question: the mode permits it, or the call only reads. Never overrides a rule. */
function ease(call: RuledCallSubject, rules: RuleTables, asked: Decision, context: RuleContext): Decision | null {
  // A tool's promise never replaces a person's approval of a plan.
  if (call.subject.kind === "plan") return null;
  if (call.isJudgedInside === true)
    return inMode(asked, "allow", "permission.skipped", "each call that it makes is judged by itself");
  const isProtected = asked.code === "permission.protected-path";
  if (context.mode === "bypass" && !isProtected)
    return inMode(asked, "allow", "permission.mode-allowed", "this mode asks about nothing that no rule names");
  if (context.mode === "accept-edits" && isAllowedWith(RuleTable.of(editRules(context)), call, rules, context))
    return inMode(
      asked,
      "allow",
      "permission.mode-allowed",
      "it edits files of the workspace, which this mode accepts",
    );
  if (context.allowReadOnly && onlyReads(call, rules, context))
    return inMode(asked, "allow", "permission.read-only", "it only reads");
  if (isAllowedInParts(call, rules, asked, context))
    return inMode(asked, "allow", "permission.allowed", "rules allow some of its commands, and the others need none");
  const { sandboxed, confinement } = context;
  if (confinement === undefined || call.subject.kind !== "shell") return null;
  const reading = RuleTable.of(readOnlyRules(context));
  if (context.allowReadOnly && isAllowedWith(reading.plus(rules.allow.only("write")), call, rules, context))
    return inMode(asked, "allow", "permission.allowed", "it runs in the sandbox, and rules allow what it writes there");
  if (sandboxed === undefined || !isFreeInSandbox(call, rules, context)) return null;
  const text = "it runs in the sandbox, and no deny or ask rule is about it";
  return { ...inMode(asked, "allow", "permission.sandboxed", text), origin: sandboxed };
}

/** Rules allow some commands of the line, and the mode or reading allows the others: `npm test | tail -20`. */
function isAllowedInParts(call: RuledCallSubject, rules: RuleTables, { parts }: Decision, context: RuleContext) {
  const isMixed = parts.some(({ decision, rule }) => decision === "allow" && rule !== null);
  if (call.subject.kind !== "shell" || !isMixed) return false;
  const edits = context.mode === "accept-edits" ? editRules(context) : [];
  const reading = context.allowReadOnly ? readOnlyRules(context) : [];
  // Rules that name readable files mean those alone.
  const names = rules.allow.has("read");
  const free = [...edits, ...reading].filter(({ family }) => !(names && family === "read"));
  if (free.length === 0 || takesFromOthers(call.subject.line, RuleTable.of(free), context)) return false;
  return decideByRules(call, { ...rules, allow: rules.allow.plus(free) }, context).decision === "allow";
}

/**
 * Inside the sandbox anything may run that no rule is about, variables included. If files that must not be read are not
 * covered, any program could read them unnoticed, so nothing is free then.
 */
function isFreeInSandbox(call: RuledCallSubject, rules: RuleTables, context: RuleContext): boolean {
  const isCovered = context.confinement?.covers(context.workspace) === true;
  if (!isCovered && rules.deny.has("read", ({ matcher }) => matcher.kind === "path")) return false;
  const { parts } = decideByRules(call, { ...rules, allow: RuleTable.of(sandboxRules(context)) }, context);
  return parts.every(({ decision, code }) => decision === "allow" || code === "permission.assignment");
}

/** Reading a file changes nothing, and a plan is what planning is for; permission for either is decided elsewhere. */
function fitsPlanning(call: RuledCallSubject, rules: RuleTables, context: RuleContext): boolean {
  const { kind } = call.subject;
  return kind === "read" || kind === "plan" || call.isJudgedInside === true || onlyReads(call, rules, context);
}

function onlyReads(call: RuledCallSubject, rules: RuleTables, context: RuleContext): boolean {
  const isFileOrShell = call.subject.kind === "shell" || call.subject.kind === "read";
  return isFileOrShell ? isAllowedWith(RuleTable.of(readOnlyRules(context)), call, rules, context) : call.readOnly;
}

function isAllowedWith(more: RuleTable, call: RuledCallSubject, rules: RuleTables, context: RuleContext): boolean {
  const allow = context.mode === "accept-edits" ? more.plus(readOnlyRules(context)) : more;
  const strict = decideByRules(call, { ...rules, allow }, context);
  return strict.decision === "allow";
}

function inMode(by: Decision, decision: Decision["decision"], code: Decision["code"], text: string): Decision {
  return { ...by, decision, code, text, rule: null, origin: defaultOrigin };
}

function judge(call: RuledCallSubject, rules: RuleTables, context: PathWorld): readonly Finding[] {
  const { subject } = call;
  switch (subject.kind) {
    case "shell":
      return judgeShell(subject.line, rules, context);
    case "read":
    case "write":
      return subject.paths.map((path) => judgePath(path, subject.kind, call, rules, context));
    case "typed":
      return judgeTyped(subject.line, call, rules, context);
    case "url":
    case "plan":
    case "other":
      return [judgeOther(call, rules)];
  }
}

/**
 * Rules about commands apply to typed text that can be read. Otherwise only a rule that names the tool itself allows
 * it: `Bash` allows commands that were read, and these cannot be.
 */
function judgeTyped(
  line: CommandLine,
  call: RuledCallSubject,
  rules: RuleTables,
  context: PathWorld,
): readonly Finding[] {
  const seen = judgeShell(line, { ...rules, allow: RuleTable.of(NO_RULES) }, context).filter(
    ({ rule }) => rule !== null,
  );
  const named = { ...rules, allow: rules.allow.only("other") };
  const own = judgeOther(call, hasCommandRules(rules) ? named : rules);
  const isOpen = own.rule === null && hasCommandRules(rules);
  const text = "rules name commands, and what is typed into a running one cannot be matched against them";
  return [...seen, ...(isOpen ? [asking(call.toolName, "permission.unreadable", text)] : []), own];
}

function toPart({ part, decision, code, text, rule }: Finding): DecidedPart {
  return { part, decision, code, text, rule };
}

/** Both ends of a link count: deny matches either, allow needs both. */
function judgePath(
  path: string,
  kind: "read" | "write",
  call: RuledCallSubject,
  rules: RuleTables,
  context: PathWorld,
): Finding {
  const places = placesOf(path, context.cwd, context);
  const found = places ?? [];
  const isAbout = ({ tool, family }: CompiledRule): boolean =>
    family === kind || (family === "other" && call.isMeantBy(tool));
  const shows = call.subject.kind === "write" && call.subject.shown?.includes(path) === true;
  const isClosed = ({ family, matcher }: CompiledRule): boolean =>
    shows && family === "read" && matcher.kind === "path";
  const sought = { paths: found, tool: call };
  const against = (rule: CompiledRule): boolean => isAbout(rule) || isClosed(rule);
  const strict = (rule: CompiledRule): boolean =>
    matchesCall(rule, call) || (rule.matcher.kind === "path" && found.some((one) => pathMatches(rule, one, "broadly")));
  const denied = rules.deny.about(sought).find((rule) => against(rule) && strict(rule));
  const shown = showPlaces(path, found, context);
  if (denied !== undefined) return byRule(path, "deny", denied, shown);
  const asked = rules.ask.about(sought).find((rule) => against(rule) && strict(rule));
  if (asked !== undefined) return byRule(path, "ask", asked, shown);
  if (places === null) return asking(path, "permission.file-not-covered", `nobody can tell where ${path} leads`);
  const allows = rules.allow.about(sought);
  const covering = found.map((one) =>
    allows.find((rule) => isAbout(rule) && (rule.matcher.kind === "any" || pathMatches(rule, one, "exactly"))),
  );
  const [rule] = covering;
  const isCovered = rule !== undefined && !covering.includes(undefined);
  /** Only a rule that names exactly this place permits it; one that names a link to it does not. */
  const isMeant = (by: CompiledRule | undefined): boolean => by?.matcher.kind === "path" && by.matcher.glob.isLiteral;
  // Checked before missing rules: a mode may replace a rule, but never this check.
  const checked = kind === "write" ? found.filter((_, at) => !(isCovered && isMeant(covering[at]))) : [];
  for (const one of checked) {
    const why = whyProtected(one, context, shown);
    if (why !== null) return asking(path, "permission.protected-path", why);
  }
  if (!isCovered)
    return asking(path, "permission.no-rule", `no rule covers ${kind === "read" ? "reading" : "writing"} ${shown}`);
  return byRule(path, "allow", rule, shown);
}

/** The path as given, and where it leads if that is elsewhere: a person must see what they approve. */
function showPlaces(path: string, [, real]: readonly string[], { workspace }: PathWorld): string {
  if (real === undefined) return path;
  return `${path} -> ${isInside(real, workspace) && real !== workspace ? real.slice(workspace.length + 1) : real}`;
}

function pathMatches({ matcher }: CompiledRule, path: string, how: "broadly" | "exactly"): boolean {
  return matcher.kind === "path" && matcher.glob.matches(path, how);
}

function judgeOther(call: RuledCallSubject, rules: RuleTables): Finding {
  const isAbout = ({ tool, family }: CompiledRule): boolean =>
    call.isMeantBy(tool) || (call.subject.kind === "url" && family === "url");
  const sought = call.subject.kind === "url" ? { tool: call, urls: [call.subject.url] } : { tool: call };
  const hits = (table: RuleTable): CompiledRule | undefined =>
    table.about(sought).find((rule) => isAbout(rule) && matchesCall(rule, call));
  const denied = hits(rules.deny);
  if (denied !== undefined) return byRule(call.toolName, "deny", denied);
  const asked = hits(rules.ask);
  if (asked !== undefined) return byRule(call.toolName, "ask", asked);
  // `Tool(param:value)` narrows what is denied or asked. As an allow rule it would leave all other parameters open.
  const allowed = rules.allow
    .about(sought)
    .find(
      (rule) =>
        isAbout(rule) && isAnchored(rule.tool) && rule.matcher.kind !== "parameter" && matchesCall(rule, call, "whole"),
    );
  if (allowed !== undefined) return byRule(call.toolName, "allow", allowed);
  if (call.subject.kind === "plan") return asking(call.toolName, "permission.plan", "the plan waits for approval");
  return asking(call.toolName, "permission.no-rule", `no rule covers ${call.toolName}`);
}

/** An allow rule must name its server: `mcp__server__*` and `server/*` do, `*` and `mcp__*` are too broad. */
function isAnchored(tool: string): boolean {
  return !tool.includes("*") || /^(?:mcp__[^*]+__|[^*/]+\/)/.test(tool);
}

function matchesCall({ matcher }: CompiledRule, call: RuledCallSubject, how: "part" | "whole" = "part"): boolean {
  switch (matcher.kind) {
    case "any":
      return true;
    case "url":
      return (
        call.subject.kind === "url" &&
        matcher.pattern.matches(call.subject.url, how === "whole" ? "exactly" : "broadly")
      );
    case "pattern":
      return how === "whole" ? matcher.pattern.matches(textOf(call)) : matcher.pattern.matcher(textOf(call)).find();
    case "parameter":
      return scalarsOf(call.arguments).some(
        ([name, value]) =>
          (matcher.name === "*" || matcher.name === name) &&
          matcher.values.some((wanted) => matchesName(escapeClass(wanted), value)),
      );
    case "path":
    case "command":
      return false;
  }
}

/** The text that a pattern matches: the address, or the arguments as JSON. */
function textOf({ subject, arguments: given }: RuledCallSubject): string {
  return subject.kind === "url" ? subject.url : (JSON.stringify(given) ?? "");
}

function escapeClass(pattern: string): string {
  return pattern.replace(/[[?\\]/g, "\\$&");
}

/** Every plain value under its name, at any depth; items of a list have the name of the list. */
function scalarsOf(given: unknown, name: string | null = null): readonly (readonly [string, string])[] {
  if (typeof given === "string" || typeof given === "number" || typeof given === "boolean")
    return name === null ? [] : [[name, String(given)]];
  if (typeof given !== "object" || given === null) return [];
  if (Array.isArray(given)) return given.flatMap((value: unknown) => scalarsOf(value, name));
  return Object.entries(given).flatMap(([key, value]) => scalarsOf(value, key));
}
