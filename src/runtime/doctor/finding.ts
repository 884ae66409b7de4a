import type { Code } from "../../core/codes/codes.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";

/** A finding of a check of the whole setup. */
export interface DoctorFinding {
  /** `info` is worth knowing but not wrong. */
  readonly level: "error" | "warning" | "info";
  readonly code: Code;
  readonly text: string;
  readonly names: readonly string[];
  readonly origin: Origin;
  /** What to do, in the imperative; null if the text says it. */
  readonly fix: string | null;
  /** For an unknown name: what was probably meant. */
  readonly nearest?: readonly string[];
}

const FIXES = new Map<Code, string>([
  ["config.policy-held", "remove the value, or ask the policy's owner"],
  ["config.variable-unset", "set the variable in your shell; a server then needs: toolcrib servers restart NAME"],
  ["filter.ambiguous", "write the full name, such as server/tool or toolset:name"],
  ["filter.unknown-name", "correct the name, or remove it from the list"],
  ["search.denied", "allow tool_search, or narrow the tools until all of them fit"],
  ["toolset.empty", "widen includeTools, or take entries off excludeTools"],
  ["toolset.unknown-member", "correct the member, or remove it from the toolset"],
]);

export function toFinding(notice: Notice, fix: string | null = null): DoctorFinding {
  return { ...notice, fix: fix ?? FIXES.get(notice.code) ?? null };
}
