import type { NameList, Sourced } from "../codes/origin.ts";
import type { Notice } from "../codes/reason.ts";
import type { Entry } from "./entry.ts";
import { ALL_TOOLS, type Meaning } from "./meaning.ts";
import type { Resolution, Resolver } from "./resolver.ts";

/** How a list mentions one tool. */
export interface Mention {
  /** The list names the tool itself, not a set or pattern it falls under. */
  readonly explicit: boolean;
  /** The list entry, with its line. */
  readonly by: Pick<Sourced<string>, "value" | "origin">;
}

/** Which tools a list mentions. A bare `*` mentions all of them without listing any. */
interface Mentions {
  /** The mention that counts: the explicit one, if any. */
  get(entry: Entry): Mention | undefined;
  /** All mentions, explicit ones first: a list that removes a tool does so until its last mention is gone. */
  each(entry: Entry): readonly Mention[];
  has(entry: Entry): boolean;
  /** Tools mentioned by anything but a bare `*`. */
  readonly named: ReadonlyMap<Entry, { readonly all: readonly Mention[] }>;
}

/** A list of names, read against one catalog. */
export interface ResolvedList {
  readonly list: NameList;
  readonly mentions: Mentions;
  readonly unknown: readonly string[];
  /** Servers that the list names and that have not listed their tools yet. */
  readonly pending: readonly string[];
  readonly notices: readonly Notice[];
}

/** More notices of one list are reported as one; more suggestions do not help with a typo. */
const MAX_NOTICES = 50;
const MAX_SUGGESTIONS = 20;

/** Reads a list with the one resolver; `label` is the list's name in messages. */
export function resolveList(
  resolver: Resolver,
  label: string,
  list: NameList,
  resolve: (name: string) => Resolution = resolver.resolve,
): ResolvedList {
  const named = new Map<Entry, Mentioned>();
  let all: readonly Mention[] = NOBODY;
  const unknown: string[] = [];
  const pending = new Set<string>();
  const noted: { readonly by: Sourced<string>; readonly resolution: Resolution }[] = [];
  const known = new Map<string, Resolution>();
  for (const by of list.value) {
    const earlier = known.get(by.value);
    const resolution = earlier ?? resolve(by.value);
    known.set(by.value, resolution);
    if (resolution.kind !== "found") {
      if (earlier !== undefined) continue;
      if (resolution.kind === "unknown") unknown.push(by.value);
      else pending.add(resolution.server);
    } else if (resolution.meaning.what === ALL_TOOLS) all = [...all, ...toEach(by, false)].slice(0, MAX_MENTIONS);
    else addMentions(named, resolution.meaning, by);
    if (earlier === undefined && isNoteworthy(resolution)) noted.push({ by, resolution });
  }
  const notices = noted.slice(0, MAX_NOTICES).map(({ by, resolution }, at) => {
    const nearest = resolution.kind === "unknown" && at < MAX_SUGGESTIONS ? resolver.nearest(by.value) : [];
    return toNotice(label, by, resolution, nearest);
  });
  const rest = noted.slice(MAX_NOTICES);
  if (rest.length > 0) notices.push(toSummary(label, list, rest));
  return { list, mentions: toMentions(named, all), unknown, pending: [...pending], notices };
}

function isNoteworthy(resolution: Resolution): boolean {
  if (resolution.kind !== "found") return true;
  return (
    resolution.others.length > 0 ||
    (resolution.meaning.explicit && distinctNames(resolution.meaning.entries).length > 1)
  );
}

function toSummary(label: string, list: NameList, rest: readonly { readonly by: Sourced<string> }[]): Notice {
  const names = rest.map(({ by }) => by.value);
  return {
    level: "warning",
    code: "filter.unknown-name",
    text: `${label} has ${names.length} more names that mean nothing or several things`,
    names,
    origin: list.origin,
  };
}

/** A list may name one tool thousands of times; a caller that has dealt with these may ask again. */
const MAX_MENTIONS = 50;

/** Shared by all tools that one name means, until a second name means one of them. */
interface Mentioned {
  lead: Mention;
  readonly all: Mention[];
  readonly isShared: boolean;
}

function addMentions(named: Map<Entry, Mentioned>, { entries, explicit }: Meaning, by: Sourced<string>): void {
  const mentions = toEach(by, explicit);
  const [lead] = mentions;
  if (lead === undefined) return;
  const shared: Mentioned = { lead, all: mentions, isShared: true };
  for (const entry of entries) {
    const earlier = named.get(entry);
    if (earlier === undefined) {
      named.set(entry, shared);
      continue;
    }
    const own = earlier.isShared ? { lead: earlier.lead, all: [...earlier.all], isShared: false } : earlier;
    own.all.push(...mentions.slice(0, Math.max(0, MAX_MENTIONS - own.all.length)));
    if (explicit && !own.lead.explicit) {
      own.lead = lead;
      if (!own.all.includes(lead)) own.all[0] = lead;
    }
    named.set(entry, own);
  }
}

function toEach({ value, origin, also = [] }: Sourced<string>, explicit: boolean): Mention[] {
  return [origin, ...also].slice(0, MAX_MENTIONS).map((place) => ({ explicit, by: { value, origin: place } }));
}

const NOBODY: readonly Mention[] = [];

function toMentions(named: ReadonlyMap<Entry, Mentioned>, all: readonly Mention[]): Mentions {
  return {
    named,
    get: (entry) => named.get(entry)?.lead ?? all[0],
    each: (entry) => {
      const own = named.get(entry)?.all ?? NOBODY;
      if (own.length + all.length <= 1) return all.length === 0 ? own : all;
      return [...own.filter(({ explicit }) => explicit), ...own.filter(({ explicit }) => !explicit), ...all];
    },
    has: (entry) => all.length > 0 || named.has(entry),
  };
}

function toNotice(
  label: string,
  { value: name, origin }: Sourced<string>,
  resolution: Resolution,
  nearest: readonly string[],
): Notice {
  const quoted = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  switch (resolution.kind) {
    case "unknown": {
      const hint =
        nearest.length === 0 ? "" : `; did you mean ${nearest.map((near) => JSON.stringify(near)).join(" or ")}?`;
      const text = `${label} names ${quoted}, which no tool, toolset or server has${hint}`;
      const unknown = { level: "warning", code: "filter.unknown-name", text, names: [name], origin } as const;
      return nearest.length === 0 ? unknown : { ...unknown, nearest };
    }
    case "pending": {
      const text = `${label} names ${quoted}; server "${resolution.server}" has not listed its tools yet`;
      return { level: "info", code: "filter.pending", text, names: [name], origin };
    }
    case "found": {
      const { meaning, others } = resolution;
      const several = distinctNames(meaning.entries);
      const also =
        others.length > 0
          ? `taken as ${meaning.what}, though it could also mean ${others.map(({ what }) => what).join(", ")}`
          : `means several tools: ${several.slice(0, 5).join(", ")}${several.length > 5 ? ", …" : ""}`;
      return {
        level: "warning",
        code: "filter.ambiguous",
        text: `${label} names ${quoted}: ${also}`,
        names: [name],
        origin,
      };
    }
  }
}

/** Tools that share a wire name are duplicates, which the duplicate gate reports; they do not make a name ambiguous. */
function distinctNames(entries: readonly Entry[]): readonly string[] {
  return [...new Map(entries.map((entry) => [entry.wireName, entry.identity])).values()];
}
