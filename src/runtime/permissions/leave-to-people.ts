import { findHiddenText } from "../../core/tool/hidden-text.ts";
import { scanText } from "../../core/trust/scan-text.ts";
import type { Classification } from "./classifier.ts";
import type { PermissionRequest } from "./permission-request.ts";

/** Characters of arguments that are worth a model's look; what is longer could hide anything. */
const LONGEST_ARGUMENTS = 16_000;

/** The fast stage of the classifier that ships: what no model is to decide goes to people at once. */
export function leaveToPeople(request: PermissionRequest): Classification {
  return isMerelyUncovered(request) && isPlain(request.toolArgs) ? { verdict: "unsure" } : { verdict: "ask" };
}

/** Whatever is odd about a call (a line that cannot be read, a protected file) is more than a missing rule. */
export function isMerelyUncovered({ code, kind, parts }: PermissionRequest): boolean {
  if (code !== "permission.no-rule" || kind === "hook") return false;
  return parts.every((part) => part.decision === "allow" || part.code === "permission.no-rule");
}

/** Short enough, with nothing hidden in it and nothing that the scanner knows as an attack. */
function isPlain(args: PermissionRequest["toolArgs"]): boolean {
  if ((JSON.stringify(args) ?? "").length > LONGEST_ARGUMENTS) return false;
  return textsIn(args).every((text) => findHiddenText(text) === null && scanText(text).leftOut.length === 0);
}

/** Every text in a value, the names of its fields included. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value)
    ? value.flatMap(textsIn)
    : Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}
