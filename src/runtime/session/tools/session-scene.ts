import type { Config } from "../../../config/config.ts";
import { type SceneFacts, toScene } from "../../../config/to-scene.ts";
import type { Scene } from "../../../core/scene/scene.ts";
import { BUILTIN_SETS } from "../../../sources/builtin/definitions.ts";
import type { Source } from "../../../sources/source.ts";

/** The scene of a session, as its configuration and what surrounds it make it. */
export interface SessionScene {
  /** The same object while nothing about it changed. */
  readonly now: Scene;
  /** Something changed: what surrounds the session, or a source and perhaps what it says to models. */
  changed(source: Source | undefined): void;
}

export function createSessionScene(config: () => Config, facts: () => SceneFacts): SessionScene {
  let made: { readonly config: Config; readonly scene: Scene } | null = null;
  let instructions = "";
  return {
    get now() {
      const used = config();
      if (made?.config !== used) made = { config: used, scene: toScene(used, { ...facts(), sets: BUILTIN_SETS }) };
      return made.scene;
    },
    changed(source) {
      const before = instructions;
      if (source !== undefined) instructions = JSON.stringify([...(facts().instructions ?? [])]);
      if (source === undefined || instructions !== before) made = null;
    },
  };
}
