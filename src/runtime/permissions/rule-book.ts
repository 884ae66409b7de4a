import type { Decision } from "../../core/call/decision.ts";
import { type Eventual, whenKnown } from "../../core/call/eventual.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import type { Origin, Sourced } from "../../core/codes/origin.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type CompiledRule, type CompiledRules, compileRules, type RuleLists } from "../../core/rules/compile-rules.ts";
import { decide, type RuleContext, type RuledCallSubject } from "../../core/rules/decide.ts";
import { narrowestRules } from "../../core/rules/narrowest-rules.ts";
import {
  type Confinement,
  type FolderAlias,
  isInside,
  normalize,
  placesOf,
  throughAliases,
} from "../../core/rules/paths.ts";
import { readOnlyRules } from "../../core/rules/ready-rules.ts";
import { parseRule } from "../../core/rules/rule.ts";
import type { Mode } from "../../core/scene/scene.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { CallReach } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import { type CallSubject, toCallSubject } from "./call-subject.ts";
import { digestOf, type Grant, isFor } from "./grant.ts";
import type { GrantStore } from "./grant-store.ts";
import { readLink, rememberLinks } from "./read-link.ts";

/** The rules and the mode as they are now. */
export interface RuleSetting {
  readonly lists: RuleLists;
  readonly mode: Sourced<Mode>;
  /** Whether commands in a sandbox need a question. */
  readonly sandboxed?: Sourced<"allow" | "ask">;
  readonly workspace: string;
  /** Further folders that count as the workspace does. */
  readonly added: readonly string[];
  readonly home: string;
  /** Of these folders, the ones that are reached through links: they stand here by where they really are. */
  readonly aliases?: readonly FolderAlias[];
  /** Whether an identifier of a rule means a tool, as the one resolver says; `broadly` also by its second meanings. */
  readonly means: (identifier: string, call: Pick<PreparedCall, "entry">, how: "first" | "broadly") => boolean;
  /** Changes whenever a name may mean another tool. */
  readonly names: () => unknown;
  /** Changes whenever one of these does. */
  readonly revision: unknown;
}

/** What the rule book looks at; who would run the call is not among it. */
export type RuledCall = Omit<PreparedCall, "source">;

/** What rules, mode and kept approvals say, before anybody is asked. */
export interface Ruling {
  readonly decision: Decision;
  readonly subject: CallSubject;
  readonly mode: Sourced<Mode>;
  /** The call changes nothing, by its tool's word or by its command line. */
  readonly readOnly: boolean;
  /** The narrowest rules that would allow it; worked out when somebody is asked. */
  readonly narrowest: (call: RuledCall) => readonly string[];
  /** What an approval of exactly this call is for: its arguments, and where their paths lead if links are on the way. */
  readonly exactly: (call: RuledCall) => unknown;
  /** The approval that was kept for exactly that; null when there is none. */
  readonly bound: (call: RuledCall) => Decision | null;
  /** What the call may use once it is allowed: where its paths led when this was ruled, and what rules say of the rest. */
  readonly reach: (call: RuledCall) => CallReach;
}

interface RuleBookPorts {
  readonly rules: () => RuleSetting;
  readonly grants: () => GrantStore;
  readonly isTrusted: (tool: Tool) => boolean;
  readonly today: () => number;
  /** The sandbox in which our own tools run commands, as it is now; null or absent without one. */
  readonly confinement?: () => Eventual<Confinement | null>;
}

interface Compiled {
  readonly revision: unknown;
  readonly rules: CompiledRules;
  /** What may be read without a question. */
  readonly reading: CompiledRules;
  /** Whether a deny or ask rule names a tool rather than a kind of call. */
  readonly hasNames: boolean;
}

/** What was ruled about a tool, and under which rules. */
interface Standing {
  readonly setting: RuleSetting;
  readonly names: unknown;
  readonly tool: Tool;
  readonly toolName: string;
  /** Null where its arguments count. */
  readonly ruling: Ruling | null;
}

export interface RuleBook {
  rule(prepared: RuledCall): Eventual<Ruling>;
}

export function createRuleBook({ rules, grants, isTrusted, today, confinement }: RuleBookPorts): RuleBook {
  let compiled: Compiled | null = null;
  const granted = new WeakMap<Grant, readonly CompiledRule[]>();
  const standing = new WeakMap<Entry, Standing>();

  const compile = ({ lists, revision, workspace, added, home, aliases = [] }: RuleSetting): Compiled => {
    const world = { workspace, added, home, aliases, cwd: workspace, readLink };
    const reading = { deny: [], ask: [], allow: readOnlyRules(world) };
    const rules = compileRules(lists, world);
    const hasNames = [...rules.deny, ...rules.ask].some(({ family }) => family === "other");
    const made = { revision, rules, reading, hasNames };
    compiled = made;
    return made;
  };
  const compiledFor = (setting: RuleSetting): Compiled =>
    compiled !== null && compiled.revision === setting.revision ? compiled : compile(setting);
  const compileGrant = (grant: Grant, { workspace, home, aliases = [] }: RuleSetting): readonly CompiledRule[] => {
    const known = granted.get(grant);
    if (known !== undefined) return known;
    const own = readGrantRules(grant, { workspace, home, aliases, cwd: workspace });
    granted.set(grant, own);
    return own;
  };

  const grantedFor = (entry: Entry, setting: RuleSetting): readonly CompiledRule[] => {
    const kept = grants().grants;
    if (kept.length === 0) return NO_RULES;
    const now = today();
    return kept
      .filter((grant) => grant.digest === null && isFor(grant, entry, now))
      .flatMap((grant) => compileGrant(grant, setting));
  };

  const judge = (prepared: RuledCall, subject: CallSubject, setting: RuleSetting, own: readonly CompiledRule[]) => {
    const { tool } = prepared;
    const { rules: base, reading, hasNames } = compiledFor(setting);
    const context = toContext(subject, setting);
    const judged = toJudged(prepared, subject, setting);
    const places = placesIn(subject, context);
    const byFirst = decide(judged, own.length === 0 ? base : { ...base, allow: [...base.allow, ...own] }, context);
    const strict = hasNames ? findStrict(judged, base, context, setting, prepared) : null;
    const strictest = strict === null || byFirst.decision === "deny" ? byFirst : strict;
    // What goes out to an address may carry something along, whether or not it only reads.
    const decision = byGrant(isTrusted(tool) && subject.subject.kind !== "url" ? strictest : withoutClaim(strictest));
    const isShellReading =
      subject.subject.kind === "shell" && decide(judged, reading, { ...context, mode: "default" }).decision === "allow";
    const readOnly = isShellReading || (subject.subject.kind !== "shell" && tool.traits.readOnly);
    return toRuling(decision, subject, setting, readOnly, places);
  };

  /** Outlives the call that it was made for, so it must not hold on to that. */
  const toRuling = (
    decision: Decision,
    subject: CallSubject,
    setting: RuleSetting,
    readOnly: boolean,
    places: Places,
  ): Ruling => ({
    decision,
    subject,
    mode: setting.mode,
    readOnly,
    narrowest: (call) =>
      narrowestRules(toJudged(call, subject, setting), call.entry.identity, toContext(subject, setting)),
    exactly: ({ args }) => toExact(args, places),
    bound: ({ entry, args }) => findBound(entry, toExact(args, places), decision, grants().grants, today()),
    reach: (call) => ({
      mayRead: readerFor(places),
      mayFetch: fetcherFor(call),
      whyClosed: openerFor(call, subject, places),
    }),
  });

  /** Which files a call may read besides those that it names: none that a deny or ask rule is about. */
  const readerFor = (places: Places): NonNullable<CallReach["mayRead"]> => {
    const setting = rules();
    return toReader([...places.values()].flat(), compiledFor(setting).rules, setting);
  };

  /** Which addresses it may be led to: those that it might have named itself, and its own host where no rule says no. */
  const fetcherFor = (prepared: RuledCall): NonNullable<CallReach["mayFetch"]> => {
    const setting = rules();
    const { entry, args } = prepared;
    const own = grantedFor(entry, setting);
    return (url) => {
      const led = { ...prepared, args: { ...args, url } };
      const { decision } = judge(led, { subject: { kind: "url", url }, cwd: setting.workspace }, setting, own);
      if (decision.decision !== "ask" || decision.code === "permission.asked") return decision.decision === "allow";
      return hostOf(url) !== null && hostOf(url) === hostOf(args.url);
    };
  };

  /** What was ruled on with the call needs no second look; a place that a path leads to since then has to be allowed itself. */
  const openerFor =
    (prepared: RuledCall, { subject, cwd }: CallSubject, places: Places): NonNullable<CallReach["whyClosed"]> =>
    (path, real) => {
      if (places.get(path)?.includes(real)) return null;
      const setting = rules();
      const kind = subject.kind === "read" ? "read" : "write";
      const shown = isInside(real, setting.workspace) ? real.slice(setting.workspace.length + 1) || "." : real;
      const moved: CallSubject = { subject: { kind, paths: [shown], shown: [shown] }, cwd };
      const { decision } = judge(prepared, moved, setting, grantedFor(prepared.entry, setting));
      if (decision.decision === "allow") return null;
      const next = decision.decision === "ask" ? "; make the call again to be asked about that" : "";
      return `${JSON.stringify(path)} now leads to ${JSON.stringify(shown)}, and ${decision.text}${next}.`;
    };

  /** Where no rule looks at arguments, all calls of a tool are ruled alike until rules or names change. */
  const ruleOn = (prepared: RuledCall, subject: CallSubject, setting: RuleSetting): Ruling => {
    const { entry, tool, call } = prepared;
    const own = grantedFor(entry, setting);
    if (own.length > 0 || subject.subject.kind !== "other") return judge(prepared, subject, setting, own);
    const { toolName } = call;
    const names = setting.names();
    const known = standing.get(entry);
    const isSame =
      known?.setting === setting && known.names === names && known.tool === tool && known.toolName === toolName;
    if (isSame && known.ruling !== null) return known.ruling;
    const ruling = judge(prepared, subject, setting, own);
    if (isSame) return ruling;
    const { deny, ask, allow } = compiledFor(setting).rules;
    const isOpen = [...deny, ...ask, ...allow].some(
      ({ matcher, tool: named }) => looksAtArguments(matcher) && setting.means(named, prepared, "broadly"),
    );
    standing.set(entry, { setting, names, tool, toolName, ruling: isOpen ? null : ruling });
    return ruling;
  };

  /** What would count may have been revoked by another process since. */
  const isKept = (entry: Entry): boolean => {
    const kept = grants().grants;
    if (kept.length === 0) return false;
    const now = today();
    return kept.some((grant) => grant.scope !== "session" && isFor(grant, entry, now));
  };

  return {
    rule(prepared) {
      const { tool, args, entry } = prepared;
      return whenKnown(isKept(entry) ? grants().refresh() : undefined, () => {
        const setting = rules();
        return whenKnown(toCallSubject(tool, args, setting.workspace), (subject) => {
          const isConfined = subject.subject.kind === "shell" && tool.source === "builtin";
          return whenKnown((isConfined && confinement?.()) || null, (around) =>
            ruleOn(prepared, around === null ? subject : { ...subject, confinement: around }, setting),
          );
        });
      });
    },
  };
}

function hostOf(url: unknown): string | null {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : null;
}

const NO_RULES: readonly CompiledRule[] = [];

function toContext({ cwd, confinement }: CallSubject, setting: RuleSetting): RuleContext {
  const { home, workspace, added, aliases = [], mode, sandboxed } = setting;
  return {
    cwd,
    ...(confinement === undefined ? {} : { confinement }),
    ...(sandboxed?.value === "allow" ? { sandboxed: sandboxed.origin } : {}),
    home,
    workspace,
    added,
    aliases,
    readLink: rememberLinks(),
    // Not to ask is decided where asking is, so that grants for exact arguments are heeded first.
    mode: mode.value === "dont-ask" ? "default" : mode.value,
    allowReadOnly: true,
  };
}

function toJudged(prepared: RuledCall, { subject }: CallSubject, { means }: RuleSetting): RuledCallSubject {
  return {
    toolName: prepared.call.toolName,
    isMeantBy: (identifier) => means(identifier, prepared, "first"),
    subject,
    arguments: prepared.args,
    readOnly: prepared.tool.traits.readOnly,
  };
}

function looksAtArguments({ kind }: CompiledRule["matcher"]): boolean {
  return kind === "parameter" || kind === "pattern";
}

/** Deny and ask rules reach a tool by every meaning of the name they use; allow rules only by the first. */
function findStrict(
  judged: RuledCallSubject,
  { deny, ask }: CompiledRules,
  context: RuleContext,
  { means }: RuleSetting,
  prepared: RuledCall,
): Decision | null {
  const call = {
    toolName: judged.toolName,
    isMeantBy: (identifier: string) => means(identifier, prepared, "broadly"),
    subject: judged.subject,
    arguments: judged.arguments,
    readOnly: judged.readOnly,
  };
  const strictly: RuleContext = { ...context, mode: "default", allowReadOnly: false };
  const decision = decide(call, { deny, ask, allow: [] }, strictly);
  return decision.decision === "deny" || decision.code === "permission.asked" ? decision : null;
}

/** Where each file that a call names leads, by the links that the rules were held against. */
type Places = ReadonlyMap<string, readonly string[]>;

function placesIn({ subject, cwd }: CallSubject, context: RuleContext): Places {
  const paths = subject.kind === "read" || subject.kind === "write" ? subject.paths : [];
  return new Map(paths.map((path) => [path, placesOf(path, cwd, context) ?? []]));
}

function toExact(args: unknown, places: Places): unknown {
  const linked = [...places].filter(([, leads]) => leads.length !== 1);
  return linked.length === 0 ? args : { arguments: args, places: linked };
}

/** A rule that asks about what the call itself names was answered with the call; every other one was not. */
function toReader(
  named: readonly string[],
  { deny, ask }: CompiledRules,
  setting: RuleSetting,
): (path: string) => boolean {
  const { workspace } = setting;
  const isAbout = ({ family, matcher }: CompiledRule, path: string): boolean =>
    family === "read" && matcher.kind === "path" && matcher.glob.matches(path, "broadly");
  const isAnswered = (rule: CompiledRule): boolean => named.some((path) => isAbout(rule, path));
  const strict = [...deny, ...ask.filter((rule) => !isAnswered(rule))].filter(({ family }) => family === "read");
  let last = { path: "", may: false };
  return (path) => {
    const absolute = throughAliases(normalize(path.startsWith("/") ? path : `${workspace}/${path}`), setting.aliases);
    // A search asks for a file by both of its names, which mostly are the same place.
    if (last.path !== absolute) last = { path: absolute, may: !strict.some((rule) => isAbout(rule, absolute)) };
    return last.may;
  };
}

/** Modes take a tool's word that it only reads; to run without a question takes more than its word (X6). */
function withoutClaim(decision: Decision): Decision {
  if (decision.decision !== "allow" || decision.code !== "permission.read-only") return decision;
  return {
    ...decision,
    decision: "ask",
    code: "permission.no-rule",
    text: "no rule covers the call, and that it only reads is not enough",
  };
}

/** An approval that was kept for exactly these arguments. */
function findBound(
  entry: Entry,
  exactly: unknown,
  { parts, rule }: Decision,
  grants: readonly Grant[],
  now: number,
): Decision | null {
  const bound = grants.filter((grant) => grant.digest !== null && isFor(grant, entry, now));
  const grant = bound.length === 0 ? undefined : bound.find(({ digest }) => digest === digestOf(exactly));
  if (grant === undefined) return null;
  const text = `approved for these arguments before (grant ${grant.id})`;
  return { decision: "allow", code: "permission.granted", text, origin: originOf(grant), rule, parts };
}

function originOf({ id }: Grant): Origin {
  return { kind: "call", call: `grant ${id}` };
}

/** A kept rule is somebody's approval, and says so. */
function byGrant(decision: Decision): Decision {
  const { origin, text } = decision;
  const isKept = decision.decision === "allow" && origin.kind === "call" && /^grant [\w-]+$/.test(origin.call);
  return isKept ? { ...decision, code: "permission.granted", text: `${text} (${origin.call})` } : decision;
}

function readGrantRules(grant: Grant, world: Parameters<typeof compileRules>[1]): readonly CompiledRule[] {
  const origin = originOf(grant);
  try {
    const allow = grant.rules.map((text) => ({ value: parseRule(text, origin), origin }));
    return compileRules({ deny: [], ask: [], allow }, world).allow;
  } catch (error) {
    // A kept rule that cannot be read allows nothing; the question is asked again.
    if (isToolcribError(error)) return [];
    throw error;
  }
}
