import type { Scene } from "./scene.ts";
import { readWorld } from "./world.ts";

/** The scene without any configuration. */
export const DEFAULT_SCENE: Scene = readWorld({}, "").scene;
