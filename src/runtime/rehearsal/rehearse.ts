import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { Config } from "../../config/config.ts";
import { SLICE } from "../../system/time/background.ts";
import type { AuditRow } from "../audit/audit-row.ts";
import { judgedUnder } from "../audit/judged-under.ts";
import type { KeptList } from "../audit/kept-lists.ts";
import type { FoundBody } from "../audit/read-stored.ts";
import { type PastCall, type PastCaller, readPastCall, UNJUDGED, type Unjudged } from "./past-calls.ts";
import {
  type CallVerdict,
  createPolicySide,
  nameInRules,
  type PolicySide,
  type RehearsalPlace,
} from "./policy-side.ts";

type Outcome = CallVerdict["outcome"];
type Outcomes = Readonly<Record<Outcome, number>>;

/** Calls of one person and tool with which something else would happen. It holds nothing that was in a call. */
export interface ChangedCalls {
  readonly who: string;
  /** As rules name it. */
  readonly tool: string;
  readonly from: Outcome;
  readonly to: Outcome;
  readonly calls: number;
  /** Why, under the supposed policy. */
  readonly code: string;
  readonly origin: string;
  /** The newest of them, as the log has it. */
  readonly last: PastCall["row"];
}

/** What a change of policy would have meant for calls of the past, and means for who gets which tools. */
export interface Rehearsal {
  /** Calls that were looked at. */
  readonly calls: number;
  readonly judged: number;
  readonly now: Outcomes;
  readonly next: Outcomes;
  readonly changes: readonly ChangedCalls[];
  /** Everybody who made a call and would get other tools. */
  readonly people: readonly {
    readonly who: string;
    readonly lost: readonly string[];
    readonly gained: readonly string[];
  }[];
  readonly unjudged: readonly { readonly why: string; readonly calls: number; readonly tools: readonly string[] }[];
  /** Of the judged ones: with the newest list, because theirs was not kept. */
  readonly withNewestList: number;
  /** Of the judged ones: with something hidden in their arguments. */
  readonly redacted: number;
  /** Of the judged ones: made under another policy than the one of now. */
  readonly underOthers: number;
  /** Servers of the supposed policy whose tools are on no list. */
  readonly unknownServers: readonly string[];
  /** What may change what happens to a call and is not asked here. */
  readonly notAsked: readonly string[];
}

export interface RehearsalInput {
  readonly now: Config;
  readonly next: Config;
  readonly place: RehearsalPlace;
  readonly lists: ReadonlyMap<string, KeptList>;
  /** Rows in any order, some at a time, with the bodies that are apart by their hash. */
  readonly rows: AsyncIterable<{ readonly rows: readonly AuditRow[]; readonly bodies: ReadonlyMap<string, FoundBody> }>;
  readonly signal: AbortSignal;
}

/** Judges calls of the log under two policies. Nothing is run, asked or changed. */
export async function rehearse({ now, next, place, lists, rows, signal }: RehearsalInput): Promise<Rehearsal> {
  const sides = { now: createPolicySide(now, place), next: createPolicySide(next, place) };
  const tally = createTally(judgedUnder({ config: now, toolset: { catalog: { hash: "" } } }).policy);
  const [newest] = lists.values();
  const known = new Map<string, Both | null>();
  const turns = createTurns();
  for await (const page of rows) {
    for (const row of page.rows) {
      await turns.next();
      signal.throwIfAborted();
      const read = readPastCall(row, "body" in row ? page.bodies.get(row.body ?? "") : undefined);
      if (read === null) continue;
      if (read.kind === "unjudged") {
        tally.unjudged(read.why, "tool" in row ? nameInRules(row.tool, newest) : "");
        continue;
      }
      const { call } = read;
      const own = call.list === null ? undefined : lists.get(call.list);
      const list = own ?? newest;
      const both = list === undefined ? null : await judgeBoth(call, list, sides, known);
      const tool = nameInRules(call.tool, list);
      if (both === null) tally.unjudged("unknown-tool", tool);
      else tally.add({ ...call, tool }, both, own === undefined);
    }
  }
  const people = newest === undefined ? [] : await comparePeople(tally.people(), newest, sides);
  const listed = new Set([...lists.values()].flatMap(({ tools }) => tools.map(({ server }) => server)));
  const unknownServers = [...next.servers.values()].filter(({ name, enabled }) => enabled.value && !listed.has(name));
  return {
    ...tally.done(),
    people,
    unknownServers: unknownServers.map(({ name }) => name),
    notAsked: notAskedIn(next),
  };
}

/** In a gateway others want to go on in between. */
function createTurns(): { next(): Promise<void> | undefined } {
  let begun = performance.now();
  return {
    next() {
      if (performance.now() - begun < SLICE) return undefined;
      return setImmediate().then(() => {
        begun = performance.now();
      });
    },
  };
}

interface Both {
  readonly now: CallVerdict;
  readonly next: CallVerdict;
}

/** Longer arguments are hardly ever repeated. */
const MOST_REMEMBERED = 500;
const MOST_KNOWN = 50_000;

async function judgeBoth(
  call: PastCall,
  list: KeptList,
  { now, next }: { readonly now: PolicySide; readonly next: PolicySide },
  known: Map<string, Both | null>,
): Promise<Both | null> {
  const text = JSON.stringify(call.arguments);
  const key = text.length > MOST_REMEMBERED ? null : JSON.stringify([call.who, list.hash, call.tool, text]);
  const before = key === null ? undefined : known.get(key);
  if (before !== undefined) return before;
  const verdicts = [await now.judge(call, list), await next.judge(call, list)];
  const [first = null, second = null] = verdicts;
  const both = first === null || second === null ? null : { now: first, next: second };
  if (key !== null && known.size < MOST_KNOWN) known.set(key, both);
  return both;
}

type Compared = Rehearsal["people"][number];

async function comparePeople(
  people: ReadonlyMap<string, PastCaller>,
  list: KeptList,
  sides: { readonly now: PolicySide; readonly next: PolicySide },
): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  for (const [who, caller] of people) {
    const [now, next] = [await sides.now.given(caller, list), await sides.next.given(caller, list)];
    const lost = [...now].filter((tool) => !next.has(tool));
    const gained = [...next].filter((tool) => !now.has(tool));
    if (lost.length + gained.length > 0) compared.push({ who, lost, gained });
  }
  return compared.sort((one, other) => other.lost.length - one.lost.length || one.who.localeCompare(other.who));
}

function notAskedIn({ hooks, permissions, filters, gateway }: Config): readonly string[] {
  const judges = filters.filter(({ judge }) => judge !== null).map(({ name }) => `the judge ${name}`);
  const count = [...(hooks.get("preToolUse") ?? []), ...(hooks.get("permissionRequest") ?? [])].length;
  return [
    ...judges,
    ...(count === 0 ? [] : [count === 1 ? "1 hook" : `${count} hooks`]),
    ...(permissions.classifier === null ? [] : [`the classifier ${permissions.classifier.value}`]),
    ...(gateway.limits.length === 0 ? [] : ["limits"]),
  ];
}

const NOTHING: Outcomes = { allow: 0, ask: 0, deny: 0, hidden: 0 };

/** Counts without keeping any call. */
function createTally(policy: string) {
  const now = { ...NOTHING };
  const next = { ...NOTHING };
  const changes = new Map<string, { -readonly [Key in keyof ChangedCalls]: ChangedCalls[Key] }>();
  const unjudged = new Map<Unjudged, { calls: number; tools: Set<string> }>();
  const people = new Map<string, PastCaller>();
  const counts = { calls: 0, judged: 0, withNewestList: 0, redacted: 0, underOthers: 0 };
  return {
    people: () => people,
    unjudged(why: Unjudged, tool: string) {
      counts.calls += 1;
      const known = unjudged.get(why) ?? { calls: 0, tools: new Set() };
      known.calls += 1;
      if (tool !== "" && known.tools.size < MOST_NAMES) known.tools.add(tool);
      unjudged.set(why, known);
    },
    add(call: PastCall, both: Both, isWithNewest: boolean) {
      counts.calls += 1;
      counts.judged += 1;
      now[both.now.outcome] += 1;
      next[both.next.outcome] += 1;
      if (isWithNewest) counts.withNewestList += 1;
      if (call.isRedacted) counts.redacted += 1;
      if (call.policy !== null && call.policy !== policy) counts.underOthers += 1;
      people.set(call.shownAs, call.who);
      if (both.now.outcome === both.next.outcome) return;
      const { outcome: to, code, origin } = both.next;
      const about = { who: call.shownAs, tool: call.tool, from: both.now.outcome, to, code, origin };
      const key = JSON.stringify(about);
      const known = changes.get(key);
      if (known === undefined) changes.set(key, { ...about, calls: 1, last: call.row });
      else {
        known.calls += 1;
        if (call.row.time > known.last.time) known.last = call.row;
      }
    },
    done() {
      const why = [...unjudged].map(([code, { calls, tools }]) => ({ why: UNJUDGED[code], calls, tools: [...tools] }));
      return {
        ...{ ...counts, now, next },
        changes: [...changes.values()].sort(bySeverity),
        unjudged: why.sort((one, other) => other.calls - one.calls),
      };
    },
  };
}

const MOST_NAMES = 20;
const STRICTNESS: Outcomes = { allow: 0, ask: 1, deny: 2, hidden: 3 };

/** What takes most away first, next what concerns most calls. */
function bySeverity(one: ChangedCalls, other: ChangedCalls): number {
  const loss = ({ from, to }: ChangedCalls): number => STRICTNESS[to] - STRICTNESS[from];
  return loss(other) - loss(one) || other.calls - one.calls || one.tool.localeCompare(other.tool);
}

/** Whether somebody would get less than now. */
export function takesAway({ changes, people }: Pick<Rehearsal, "changes" | "people">): boolean {
  const isStricter = changes.some(({ from, to }) => STRICTNESS[to] > STRICTNESS[from]);
  return isStricter || people.some(({ lost }) => lost.length > 0);
}
