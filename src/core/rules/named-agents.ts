import { CLAUDE_AGENTS } from "../call/shipped-agents.ts";
import type { NameList, Sourced } from "../codes/origin.ts";
import { matchesName } from "./glob-match.ts";
import { readRule } from "./rule.ts";

/** The names that start agents in rules and lists: `task` in parentheses says which agents are meant. */
export const STARTS_AGENTS: ReadonlySet<string> = new Set(["Agent", "Task", "task"]);

/** The agents of `Agent(lint, Explore)`. */
export function namedAgents(names: string): readonly string[] {
  return names.split(",").flatMap((name) => name.trim() || []);
}

/** One agent's name, and our own for one that ships under Claude's. */
export function spellingsOf(name: string): readonly string[] {
  const own = CLAUDE_AGENTS.get(name);
  return own === undefined ? [name] : [name, own];
}

/** The agents that a list of tools allows to be started; null where it limits none of them. */
export function startableOf(tools: NameList | null): NameList | null {
  const named: Sourced<string>[] = [];
  for (const { value, origin } of tools?.value ?? []) {
    const rule = readRule(value);
    if (rule === null || !STARTS_AGENTS.has(rule.tool)) continue;
    if (rule.specifier === null) return null;
    named.push(...namedAgents(rule.specifier).map((name) => ({ value: name, origin })));
  }
  const [first] = named;
  return first === undefined ? null : { value: named, origin: first.origin };
}

/** Whether a list of agents has one of that name. */
export function namesAgent({ value }: NameList, name: string): boolean {
  return value.some((one) => spellingsOf(one.value).some((pattern) => matchesName(pattern, name)));
}
