import type { DecisionKind } from "../../call/decision.ts";
import type { ReasonCode } from "../../codes/codes.ts";
import { defaultOrigin, type Origin } from "../../codes/origin.ts";
import type { CompiledRule } from "../compile-rules.ts";
import { type ShellCommand, UNKNOWN_TEXT } from "./command-line.ts";

/** The judgement of one part of a line. */
export interface Finding {
  readonly part: string;
  readonly decision: DecisionKind;
  readonly code: ReasonCode;
  readonly text: string;
  readonly rule: string | null;
  readonly origin: Origin;
}

const MAX_SHOWN = 80;
/** How many characters are examined: a long line has many findings. */
const MAX_LOOKED_AT = 1_000;

const shown = new WeakMap<ShellCommand, string>();

/** A command as people read it: its words, with `…` for unknown text. */
export function showCommand(command: ShellCommand): string {
  const text = shown.get(command) ?? toShown(command);
  shown.set(command, text);
  return text;
}

function toShown({ words, assignments }: ShellCommand): string {
  let all = "";
  for (const { name, value } of assignments) if (all.length <= MAX_LOOKED_AT + 1) all += ` ${name}=${value.text}`;
  for (const { text } of words) if (all.length <= MAX_LOOKED_AT + 1) all += ` ${text}`;
  return show(all.slice(1));
}

export function show(text: string): string {
  const line = text.slice(0, MAX_LOOKED_AT).replaceAll(UNKNOWN_TEXT, "…").replace(/\s+/g, " ");
  return line.length > MAX_SHOWN || text.length > MAX_LOOKED_AT ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

export function byRule(part: string, decision: DecisionKind, rule: CompiledRule, what = part): Finding {
  const code =
    decision === "deny" ? "permission.denied" : decision === "ask" ? "permission.asked" : "permission.allowed";
  const shown = JSON.stringify(what);
  const text =
    decision === "ask"
      ? `the rule ${rule.text} asks about ${shown}`
      : `${shown} is ${decision === "deny" ? "denied" : "allowed"} by the rule ${rule.text}`;
  return { part, decision, code, text, rule: rule.text, origin: rule.origin };
}

export function asking(part: string, code: ReasonCode, text: string): Finding {
  return { part, decision: "ask", code, text, rule: null, origin: defaultOrigin };
}
