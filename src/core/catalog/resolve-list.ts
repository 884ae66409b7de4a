import type { NameList, Sourced } from "../codes/origin.ts";
import type { Notice } from "../codes/reason.ts";
import type { Entry } from "./entry.ts";
import { ALL_TOOLS, type Meaning } from "./meaning.ts";
import type { Resolution, Resolver } from "./resolver.ts";

/** How a list mentions one tool. */
interface Mention {
  /** The list names the tool itself, not a set or pattern it falls under (I4). */
  readonly explicit: boolean;
  /** The entry of the list, with its line. */
  readonly by: Sourced<string>;
}

/** Which tools a list mentions. A bare `*` mentions all of them without listing any. */
interface Mentions {
  get(entry: Entry): Mention | undefined;
  has(entry: Entry): boolean;
  /** Those that are mentioned by anything but a bare `*`. */
  readonly named: ReadonlyMap<Entry, Mention>;
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

/** More notices of one list than this are told as one; more suggestions than this help with no typo. */
const MAX_NOTICES = 50;
const MAX_SUGGESTIONS = 20;

/** Reads a list with the one resolver; `label` is what people call the list (I7). */
export function resolveList(
  resolver: Resolver,
  label: string,
  list: NameList,
  resolve: (name: string) => Resolution = resolver.resolve,
): ResolvedList {
  const named = new Map<Entry, Mention>();
  let all: Mention | undefined;
  const unknown: string[] = [];
  const pending = new Set<string>();
  const noted: { readonly by: Sourced<string>; readonly resolution: Resolution }[] = [];
  const seen = new Set<string>();
  for (const by of list.value) {
    if (seen.has(by.value)) continue;
    seen.add(by.value);
    const resolution = resolve(by.value);
    if (resolution.kind === "unknown") unknown.push(by.value);
    else if (resolution.kind === "pending") pending.add(resolution.server);
    else if (resolution.meaning.what === ALL_TOOLS) all ??= { explicit: false, by };
    else addMentions(named, resolution.meaning, by);
    if (isNoteworthy(resolution)) noted.push({ by, resolution });
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

function addMentions(named: Map<Entry, Mention>, { entries, explicit }: Meaning, by: Sourced<string>): void {
  const mention = { explicit, by };
  for (const entry of entries) {
    const earlier = named.get(entry);
    if (earlier === undefined || (!earlier.explicit && explicit)) named.set(entry, mention);
  }
}

function toMentions(named: ReadonlyMap<Entry, Mention>, all: Mention | undefined): Mentions {
  return {
    named,
    get: (entry) => named.get(entry) ?? all,
    has: (entry) => all !== undefined || named.has(entry),
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
      return { level: "warning", code: "filter.unknown-name", text, names: [name], origin };
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

/** Tools that share one wire name are duplicates, which the duplicate gate reports; they make no name ambiguous. */
function distinctNames(entries: readonly Entry[]): readonly string[] {
  return [...new Map(entries.map((entry) => [entry.wireName, entry.identity])).values()];
}
