import type { Scene } from "./scene.ts";
import { readWorld } from "./world.ts";

/** The scene in which nobody has said anything. */
export const DEFAULT_SCENE: Scene = readWorld({}, "").scene;
