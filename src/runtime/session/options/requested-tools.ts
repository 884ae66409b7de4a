import type { Config } from "../../../config/config.ts";
import { nameList } from "../../../core/codes/origin.ts";
import { noneOf, PATIENCE } from "../../agents/child-config.ts";
import type { OpenSession } from "../tools/session.ts";
import type { SessionOptions } from "./session-options.ts";

/** What a program requested, as a list that can only take away. */
export function toRequested(requested: readonly string[] | null, call: string): Config["limits"] {
  if (requested === null) return [];
  const include = nameList(requested, { kind: "call", call });
  return [{ include, exclude: nameList([]), by: "requested" }];
}

/** A run that asked for certain tools and has none of them would be wasted (A5); servers get a while to start first. */
export async function refuseWithoutRequested(
  session: OpenSession,
  { requestedTools }: Pick<SessionOptions, "requestedTools">,
): Promise<void> {
  const requested = requestedTools ?? [];
  const hasAny = () => session.toolset.placements.some(({ standing }) => standing !== "hidden");
  if (requested.length === 0 || hasAny()) return;
  await session.settled(AbortSignal.timeout(PATIENCE));
  if (hasAny()) return;
  await session.close();
  throw noneOf("the session", requested);
}
