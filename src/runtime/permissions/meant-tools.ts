import type { Entry } from "../../core/catalog/entry.ts";
import { OWN_NAMES } from "../../core/catalog/meaning.ts";
import type { Resolution, Resolver } from "../../core/catalog/resolver.ts";
import type { RuleSetting } from "./ruling.ts";

/** An identifier of more tools than this, such as `*`, is asked about for each tool. */
const MANY = 100;

const NONE: readonly string[] = [];

type How = Parameters<RuleSetting["means"]>[2];

/** The identifiers of a list of rules, by the tools that they mean. */
interface Meant {
  readonly resolver: Resolver;
  readonly byTool: ReadonlyMap<string, readonly string[]>;
  /** These mean many tools. */
  readonly wide: readonly string[];
}

/** What was asked about one tool. */
interface Answers {
  readonly resolver: Resolver;
  readonly meant: Map<string, boolean>;
}

/**
 * What identifiers in rules mean. Each call asks the same about long lists of them, so what is found is kept for as long
 * as names mean the same.
 */
export function createMeantTools(resolver: () => Resolver): Required<Pick<RuleSetting, "means" | "meantAmong">> {
  const lists = { first: new WeakMap<readonly string[], Meant>(), broadly: new WeakMap<readonly string[], Meant>() };
  const tools = {
    first: new WeakMap<Resolution, ReadonlySet<string>>(),
    broadly: new WeakMap<Resolution, ReadonlySet<string>>(),
  };
  const toolsOf = (identifier: string, how: How): ReadonlySet<string> => {
    const resolution = resolver().resolve(identifier);
    const known = tools[how].get(resolution) ?? new Set(entriesOf(resolution, how).map(keyOf));
    tools[how].set(resolution, known);
    return known;
  };
  const meantOf = (identifiers: readonly string[], how: How): Meant => {
    const now = resolver();
    const before = lists[how].get(identifiers);
    if (before?.resolver === now) return before;
    const meant = { resolver: now, ...groupByTool(identifiers, (identifier) => toolsOf(identifier, how)) };
    lists[how].set(identifiers, meant);
    return meant;
  };
  const answers = { first: new WeakMap<Entry, Answers>(), broadly: new WeakMap<Entry, Answers>() };
  const means: RuleSetting["means"] = (identifier, { entry }, how) => {
    const now = resolver();
    let known = answers[how].get(entry);
    if (known?.resolver !== now) {
      known = { resolver: now, meant: new Map() };
      answers[how].set(entry, known);
    }
    const before = known.meant.get(identifier);
    if (before !== undefined) return before;
    const isMeant = toolsOf(identifier, how).has(keyOf(entry));
    known.meant.set(identifier, isMeant);
    return isMeant;
  };
  return {
    means,
    meantAmong(identifiers, call, how) {
      const { byTool, wide } = meantOf(identifiers, how);
      const own = byTool.get(keyOf(call.entry)) ?? NONE;
      return wide.length === 0 ? own : [...own, ...wide.filter((identifier) => means(identifier, call, how))];
    },
  };
}

function groupByTool(identifiers: readonly string[], toolsOf: (identifier: string) => ReadonlySet<string>) {
  const byTool = new Map<string, string[]>();
  const wide: string[] = [];
  for (const identifier of identifiers) {
    const tools = toolsOf(identifier);
    if (tools.size > MANY) wide.push(identifier);
    else
      for (const tool of tools) {
        const known = byTool.get(tool);
        if (known === undefined) byTool.set(tool, [identifier]);
        else known.push(identifier);
      }
  }
  return { byTool, wide };
}

/** The tools that an identifier means, according to the resolver; `broadly` includes its second meanings. */
function entriesOf(resolution: Resolution, how: How): readonly Entry[] {
  if (resolution.kind !== "found" || (how === "first" && resolution.meaning.weak === true)) return [];
  const others = how === "broadly" ? resolution.others.filter(({ what }) => OWN_NAMES.has(what)) : [];
  return [resolution.meaning, ...others].flatMap(({ entries }) => entries);
}

function keyOf({ identity, tool }: Entry): string {
  return `${tool.source} ${identity}`;
}
