import { findHiddenText } from "../../core/tool/hidden-text.ts";
import { scanText } from "../../core/trust/scan-text.ts";
import type { Classification } from "./classifier.ts";
import type { PermissionRequest } from "./permission-request.ts";

/** Longest arguments, in characters, that a model judges; longer ones could hide anything. */
const LONGEST_ARGUMENTS = 16_000;

/** The fast stage of the shipped classifier: what no model should decide goes to people at once. */
export function leaveToPeople(request: PermissionRequest): Classification {
  return isMerelyUncovered(request) && isPlain(request.toolArgs) ? { verdict: "unsure" } : { verdict: "ask" };
}

/** Anything odd about a call (a line that cannot be parsed, a protected file) is more than a missing rule. */
export function isMerelyUncovered({ code, kind, parts }: PermissionRequest): boolean {
  if (code !== "permission.no-rule" || kind === "hook") return false;
  return parts.every((part) => part.decision === "allow" || part.code === "permission.no-rule");
}

/** Short enough, with nothing hidden and nothing that the scanner recognises as an attack. */
function isPlain(args: PermissionRequest["toolArgs"]): boolean {
  if ((JSON.stringify(args) ?? "").length > LONGEST_ARGUMENTS) return false;
  return textsIn(args).every((text) => findHiddenText(text) === null && scanText(text).leftOut.length === 0);
}

/** Every text in a value, including the names of its fields. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value)
    ? value.flatMap(textsIn)
    : Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}
