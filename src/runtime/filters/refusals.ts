import type { ToolResult } from "../../core/call/tool-result.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { FoundKind } from "../../core/filters/filter.ts";

/** Instead of a call. The model can do without what was found, or ask its person. */
export function refusedCall(found: readonly FoundKind[], why = "", message: string | null = null): ToolResult {
  const what =
    found.length === 0 ? why : `its arguments contain ${describeFound(found)}${why === "" ? "" : `, and ${why}`}`;
  const advice = message ?? "Leave that out, and call it again if it makes sense without.";
  return {
    textResultForLlm: `The call did not run: ${what}. ${advice}`,
    resultType: "denied",
    error: `filter.blocked: ${what}${placesOf(found)}`,
    code: "filter.blocked",
  };
}

/** Instead of a result. The call has had its effect. */
export function withheldResult(found: readonly FoundKind[], why = "", message: string | null = null): ToolResult {
  const what = found.length === 0 ? why : `it contains ${describeFound(found)}${why === "" ? "" : `, and ${why}`}`;
  const advice = message ?? "Do without it; calling again gives the same.";
  return {
    textResultForLlm: `The tool ran, but its result is withheld: ${what}. ${advice}`,
    resultType: "failure",
    error: `filter.withheld: ${what}${placesOf(found)}`,
    code: "filter.withheld",
  };
}

/** Kinds are names of ours or of the configuration, in plain letters; what was found is never repeated. */
export function describeFound(found: readonly FoundKind[]): string {
  return found.map(({ kind, count }) => `${kind}${count === 1 ? "" : ` (${count} times)`}`).join(", ");
}

function placesOf(found: readonly FoundKind[]): string {
  const places = [...new Set(found.map(({ origin }) => formatOrigin(origin)))];
  return places.length === 0 ? "" : ` (${places.join(", ")})`;
}
