import type { Decision } from "../../core/call/decision.ts";
import type { CompiledRule, CompiledRules } from "../../core/rules/compile-rules.ts";
import type { RuleContext } from "../../core/rules/decide.ts";
import { isInside, normalize, placesOf, throughAliases } from "../../core/rules/paths.ts";
import { toTables } from "../../core/rules/rule-table.ts";
import type { CallReach } from "../executor/ports.ts";
import type { CallSubject } from "./call-subject.ts";
import type { RuledCall, RuleSetting } from "./ruling.ts";

/** Where each file that a call names leads, by the links that the rules were checked against. */
export type NamedPlaces = ReadonlyMap<string, readonly string[]>;

export function placesIn({ subject, cwd }: CallSubject, context: RuleContext): NamedPlaces {
  const paths = subject.kind === "read" || subject.kind === "write" ? subject.paths : [];
  return new Map(paths.map((path) => [path, placesOf(path, cwd, context) ?? []]));
}

/** The key of an approval for exactly these arguments. */
export function toExact(args: unknown, places: NamedPlaces): unknown {
  const linked = [...places].filter(([, leads]) => leads.length !== 1);
  return linked.length === 0 ? args : { arguments: args, places: linked };
}

/** Decisions about other files and addresses of a call that may run. */
export interface ReachPorts {
  /** The current rules. */
  readonly rules: () => RuleSetting;
  readonly compiled: (setting: RuleSetting) => CompiledRules;
  readonly decide: (call: RuledCall, subject: CallSubject, setting: RuleSetting) => Decision;
}

export function toReach(call: RuledCall, subject: CallSubject, places: NamedPlaces, ports: ReachPorts): CallReach {
  return {
    mayRead: readerFor(places, ports),
    mayFetch: fetcherFor(call, ports),
    whyClosed: openerFor(call, subject, places, ports),
  };
}

/** Which files a call may read in addition to those that it names: none that a deny or ask rule covers. */
function readerFor(places: NamedPlaces, { rules, compiled }: ReachPorts): NonNullable<CallReach["mayRead"]> {
  const setting = rules();
  return toReader([...places.values()].flat(), compiled(setting), setting);
}

/**
 * Which addresses it may be redirected to: those that it could have named itself, and its own host and port unless a
 * rule denies them.
 */
function fetcherFor(call: RuledCall, { rules, decide }: ReachPorts): NonNullable<CallReach["mayFetch"]> {
  const setting = rules();
  const { args } = call;
  return (url) => {
    const led = { ...call, args: { ...args, url } };
    const { decision, code } = decide(led, { subject: { kind: "url", url }, cwd: setting.workspace }, setting);
    if (decision !== "ask" || code === "permission.asked") return decision === "allow";
    return hostOf(url) !== null && hostOf(url) === hostOf(args.url);
  };
}

function hostOf(url: unknown): string | null {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).host : null;
}

/** What was judged with the call needs no second check; a new target of a path must itself be allowed. */
function openerFor(
  call: RuledCall,
  { subject, cwd }: CallSubject,
  places: NamedPlaces,
  { rules, decide }: ReachPorts,
): NonNullable<CallReach["whyClosed"]> {
  return (path, real) => {
    if (places.get(path)?.includes(real)) return null;
    const setting = rules();
    const kind = subject.kind === "read" ? "read" : "write";
    const shown = isInside(real, setting.workspace) ? real.slice(setting.workspace.length + 1) || "." : real;
    const { decision, text } = decide(call, { subject: { kind, paths: [shown], shown: [shown] }, cwd }, setting);
    if (decision === "allow") return null;
    const next = decision === "ask" ? "; make the call again to be asked about that" : "";
    return `${JSON.stringify(path)} now leads to ${JSON.stringify(shown)}, and ${text}${next}.`;
  };
}

/** A rule that asks about what the call itself names was answered with the call; every other rule was not. */
function toReader(named: readonly string[], rules: CompiledRules, setting: RuleSetting): (path: string) => boolean {
  const { workspace } = setting;
  const isAbout = ({ family, matcher }: CompiledRule, path: string): boolean =>
    family === "read" && matcher.kind === "path" && matcher.glob.matches(path, "broadly");
  const isAnswered = (rule: CompiledRule): boolean => named.some((path) => isAbout(rule, path));
  const { deny, ask } = toTables(rules);
  const isClosed = (path: string): boolean =>
    deny.about({ paths: [path] }).some((rule) => isAbout(rule, path)) ||
    ask.about({ paths: [path] }).some((rule) => isAbout(rule, path) && !isAnswered(rule));
  let last = { path: "", may: false };
  return (path) => {
    const absolute = throughAliases(normalize(path.startsWith("/") ? path : `${workspace}/${path}`), setting.aliases);
    // A search checks a file by both of its names, which are usually the same path.
    if (last.path !== absolute) last = { path: absolute, may: !isClosed(absolute) };
    return last.may;
  };
}
