import { formatOrigin } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import { judgeServer } from "../core/gates/policy.ts";
import type { Config } from "./config.ts";
import { toServer } from "./to-scene.ts";

/** A server that policy does not allow never starts, so its missing variables are not reported. */
export function withoutForbidden(
  notices: readonly Notice[],
  { policy, servers }: Pick<Config, "policy" | "servers">,
): readonly Notice[] {
  const scenery = { policy, servers: new Map([...servers].map(([name, server]) => [name, toServer(server)])) };
  const forbidden = new Set(
    [...servers.values()]
      .filter(({ name }) => judgeServer(name, scenery).length > 0)
      .map(({ origin }) => formatOrigin(origin)),
  );
  return notices.filter(({ code, origin }) => code !== "config.variable-unset" || !forbidden.has(formatOrigin(origin)));
}
