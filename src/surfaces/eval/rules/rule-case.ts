import type { DecisionKind } from "../../../core/call/decision.ts";
import { DECISIONS } from "../../../core/call/decision.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { invalid } from "../read-lines.ts";

/** One line of a file of shell permission cases. */
export interface RuleCase {
  readonly id: string;
  readonly category: string;
  readonly command: string;
  readonly rules: Readonly<Record<"allow" | "ask" | "deny", readonly string[]>>;
  /** Workspace-relative links and their targets. */
  readonly symlinks: readonly (readonly [string, string])[];
  /** The command runs in a sandbox. */
  readonly sandbox: boolean;
  /** Read-only commands need no rule, as in the default mode; otherwise every allowed command must have one. */
  readonly readOnlyDefault: boolean;
  readonly expect: DecisionKind | null;
  /** Other decisions that are also right. */
  readonly accept: readonly DecisionKind[];
}

/** Reads one line; `where` is file and line for the message. */
export function toRuleCase(text: string, where: string): RuleCase {
  const wrong = (what: string) => invalid(`${where}: ${what}`);
  const value = parseJson(text);
  if (!isRecord(value)) throw wrong("each line has to be a JSON object");
  const { id, command, category, rules, context, expect, accept } = value;
  if (typeof id !== "string" || typeof command !== "string") throw wrong('"id" and "command" have to be strings');
  const lists = isRecord(rules) ? rules : {};
  const symlinks = isRecord(context) && isRecord(context.symlinks) ? context.symlinks : {};
  return {
    id,
    command,
    category: typeof category === "string" ? category : "",
    rules: { allow: toTexts(lists.allow), ask: toTexts(lists.ask), deny: toTexts(lists.deny) },
    symlinks: Object.entries(symlinks).flatMap(([from, to]) => (typeof to === "string" ? [[from, to] as const] : [])),
    sandbox: isRecord(context) && context.sandbox === true,
    readOnlyDefault: isRecord(context) && context.readOnlyDefault === true,
    expect: toDecision(expect),
    accept: (Array.isArray(accept) ? accept : []).flatMap((one) => toDecision(one) ?? []),
  };
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function toDecision(value: unknown): DecisionKind | null {
  return DECISIONS.find((one) => one === value) ?? null;
}
