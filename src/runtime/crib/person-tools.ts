import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { mapPerson } from "../../core/people/map-person.ts";
import type { Caller } from "../../core/people/person.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import { judgeServers } from "../../core/toolset/judge-servers.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { toAskedScene } from "./asked-scene.ts";
import type { Crib } from "./crib.ts";
import { personProfile, toViewConfig } from "./profile.ts";

/** What somebody gets of the tools that there are now, and why not the others. */
export interface PersonTools {
  readonly toolset: Toolset;
  /** Tools that nobody gets here, whatever their profile, by their identity. */
  readonly givenToNobody: ReadonlySet<string>;
}

/** Which servers somebody is given anything of; one that lists nothing yet is given to all who are given anything. */
export function serversOfPerson(crib: Pick<Crib, "config" | "main">, caller: Caller): (server: string) => boolean {
  try {
    const open = judgeServers(toolsOfPerson(crib, caller).toolset);
    const isGiven = mapPerson(caller, crib.config.gateway.auth?.people ?? []).profiles.size > 0;
    return (server) => open.get(server) ?? isGiven;
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    return () => false;
  }
}

/** Throws what keeps somebody from all tools. */
export function toolsOfPerson({ config, main }: Pick<Crib, "config" | "main">, caller: Caller): PersonTools {
  const profile = personProfile(config, caller);
  const { catalog, scene, placements } = main.toolset;
  const hidden = placements.filter(({ standing }) => standing === "hidden");
  return {
    toolset: buildToolset(catalog, toAskedScene(toViewConfig(config, profile), scene, profile.limits)),
    givenToNobody: new Set(hidden.map(({ entry }) => entry.identity)),
  };
}
