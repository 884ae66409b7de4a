import type { Origin } from "../codes/origin.ts";
import { errorAt } from "../codes/toolcrib-error.ts";

/** A permission rule as written: which tools, and which arguments. */
export interface Rule {
  readonly text: string;
  /** Any identifier of the one resolver. */
  readonly tool: string;
  /** The text between the parentheses; null if the rule covers every call. */
  readonly specifier: string | null;
}

/** Copilot's names for kinds of calls, which precede a pattern without naming a tool. */
export const RULE_KINDS: ReadonlySet<string> = new Set(["shell", "write", "url"]);

/**
 * Reads `Tool` or `Tool(specifier)`. `Tool(*)` means the same as `Tool`. An unreadable rule is an error, because a deny
 * rule that silently means nothing is worse than none.
 */
export function parseRule(text: string, origin: Origin): Rule {
  const rule = readRule(text);
  if (rule !== null) return rule;
  throw errorAt("rule.invalid", origin, unreadableRule(text), [text]);
}

export function readRule(text: string): Rule | null {
  const trimmed = text.trim();
  const open = trimmed.indexOf("(");
  if (open === -1 && trimmed !== "" && !trimmed.includes(")")) return { text, tool: trimmed, specifier: null };
  if (open <= 0 || !trimmed.endsWith(")")) return null;
  const specifier = trimmed.slice(open + 1, -1).trim();
  if (specifier === "") return null;
  return { text, tool: trimmed.slice(0, open).trim(), specifier: specifier === "*" ? null : specifier };
}

/** The message for an unreadable rule. */
export function unreadableRule(text: string): string {
  return `the rule ${JSON.stringify(text.slice(0, 80))} cannot be read; write Tool or Tool(pattern), such as Bash(git log:*)`;
}

/** The tool of `Bash(git add:*)` in a list of tools; the calls are judged later. */
export function withoutSpecifier(name: string): string {
  const open = name.indexOf("(");
  return open > 0 && name.endsWith(")") ? name.slice(0, open).trim() : name;
}
