import type { Config } from "../../config/config.ts";
import { toScene } from "../../config/to-scene.ts";
import type { Limit, Scene } from "../../core/scene/scene.ts";
import { BUILTIN_SETS } from "../../sources/builtin/definitions.ts";

/**
 * The configuration's part of the scene is read again; the parts from the machine, the client and earlier steps stay.
 */
export function toAskedScene(config: Config, live: Scene, limits: readonly Limit[] = []): Scene {
  const instructions = [...live.servers].flatMap(([name, { instructions: text }]) =>
    text === null ? [] : [[name, text] as const],
  );
  const scene = toScene(config, {
    sets: BUILTIN_SETS,
    skills: live.skills,
    promoted: live.promoted,
    limits: [...live.limits, ...limits],
    builtins: live.builtins,
    ...(live.client === null ? {} : { client: live.client }),
    instructions: new Map(instructions),
  });
  const { precedence, allowNoTools } = live.filter;
  return {
    ...scene,
    filter: { ...scene.filter, precedence, allowNoTools },
    host: live.host,
    sandbox: { ...scene.sandbox, active: live.sandbox.active },
    pins: live.pins,
  };
}
