import type { NameList, Sourced } from "../codes/origin.ts";
import { parseRule, type Rule, withoutSpecifier } from "./rule.ts";

/** What somebody never gets: tools, and calls of tools that it may have. */
export interface Denials {
  readonly disallowed: NameList;
  readonly denied: readonly Sourced<Rule>[];
}

/** `Bash(git push:*)` denies calls and leaves the tool; `Write` and `mcp__server__*` take tools away. */
export function splitDenials(list: NameList): Denials {
  const rules = list.value.map(({ value, origin }) => ({ value: parseRule(value, origin), origin }));
  const whole = rules.filter(({ value }) => value.specifier === null);
  return {
    disallowed: { ...list, value: whole.map(({ value, origin }) => ({ value: value.tool, origin })) },
    denied: rules.filter(({ value }) => value.specifier !== null),
  };
}

/** As one list again. */
export function joinDenials(disallowed: NameList, denied: Denials["denied"]): NameList {
  const calls = denied.map(({ value, origin }) => ({ value: value.text, origin }));
  return { ...disallowed, value: [...disallowed.value, ...calls] };
}

/** The tools of a list whose entries may have patterns. */
export function withoutSpecifiers(list: NameList): NameList {
  return { ...list, value: list.value.map((one) => ({ ...one, value: withoutSpecifier(one.value) })) };
}
