import type { Caller } from "../../core/people/person.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { toAskedScene } from "./asked-scene.ts";
import type { Crib } from "./crib.ts";
import { personProfile, toViewConfig } from "./profile.ts";

/** What somebody gets of the tools that there are now, and why not the others. Throws what keeps them from all. */
export function toolsOfPerson({ config, main }: Pick<Crib, "config" | "main">, caller: Caller): Toolset {
  const profile = personProfile(config, caller);
  const { catalog, scene } = main.toolset;
  return buildToolset(catalog, toAskedScene(toViewConfig(config, profile), scene, profile.limits));
}
