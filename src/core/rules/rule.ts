import { formatOrigin, type Origin } from "../codes/origin.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";

/** A permission rule as written: which tools, and for which arguments. */
export interface Rule {
  readonly text: string;
  /** Any identifier of the one resolver. */
  readonly tool: string;
  /** The text between the parentheses; null where the rule is about every call. */
  readonly specifier: string | null;
}

/** Copilot's words for kinds of calls, which stand before a pattern without naming a tool. */
export const RULE_KINDS: ReadonlySet<string> = new Set(["shell", "write", "url"]);

/**
 * Reads `Tool` or `Tool(specifier)`. `Tool(*)` means the same as `Tool`.
 * A rule that cannot be read is an error, because a deny rule that silently means nothing is worse than none.
 */
export function parseRule(text: string, origin: Origin): Rule {
  const trimmed = text.trim();
  const open = trimmed.indexOf("(");
  if (open === -1 && trimmed !== "" && !trimmed.includes(")")) return { text, tool: trimmed, specifier: null };
  if (open > 0 && trimmed.endsWith(")")) {
    const specifier = trimmed.slice(open + 1, -1).trim();
    if (specifier !== "")
      return { text, tool: trimmed.slice(0, open).trim(), specifier: specifier === "*" ? null : specifier };
  }
  throw new ToolcribError(
    "rule.invalid",
    `${formatOrigin(origin)}: the rule ${JSON.stringify(text.slice(0, 80))} cannot be read; write Tool or Tool(pattern), such as Bash(git log:*)`,
    { names: [text], origin },
  );
}
