import { nearestNames } from "../codes/nearest-name.ts";
import type { Sourced } from "../codes/origin.ts";
import { errorAt, type ToolcribError } from "../codes/toolcrib-error.ts";
import { quote } from "../shape/path.ts";

/** The error for an undefined agent, with the nearest names or else a hint and other possible causes. */
export function unknownAgent(
  { value, origin }: Sourced<string>,
  known: readonly string[],
  otherwise: string,
  more = "",
): ToolcribError {
  const nearest = nearestNames(value, known);
  const advice = nearest.length === 0 ? otherwise : `did you mean ${nearest.map(quote).join(" or ")}?`;
  return errorAt("agent.unknown", origin, `there is no agent ${quote(value)}; ${advice}${more}`, [value, ...nearest]);
}
