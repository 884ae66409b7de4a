import type { DecisionKind } from "../../call/decision.ts";
import type { ReasonCode } from "../../codes/codes.ts";
import { defaultOrigin, type Origin } from "../../codes/origin.ts";
import type { CompiledRule } from "../compile-rules.ts";
import { type ShellCommand, UNKNOWN_TEXT } from "./command-line.ts";

/** One answer about one part of a line. */
export interface Finding {
  readonly part: string;
  readonly decision: DecisionKind;
  readonly code: ReasonCode;
  readonly text: string;
  readonly rule: string | null;
  readonly origin: Origin;
}

const MAX_SHOWN = 80;

/** A command as people read it: the words, with what is unknown as `…`. */
export function showCommand({ words, assignments }: ShellCommand): string {
  const all = [...assignments.map(({ name, value }) => `${name}=${value.text}`), ...words.map(({ text }) => text)];
  return show(all.join(" "));
}

export function show(text: string): string {
  const line = text.replaceAll(UNKNOWN_TEXT, "…").replace(/\s+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
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
