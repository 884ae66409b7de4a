import { DEFAULT_SCENE } from "../../core/scene/default-scene.ts";
import { BUILTIN_SETS, BUILTIN_TOOLS } from "../../sources/builtin/definitions.ts";
import type { CommandInput } from "./command.ts";
import type { Question } from "./load-question.ts";
import { type Overrides, overrideScene } from "./overrides.ts";

/** The question that the configuration asks. Servers are not started: their tools are not listed yet. */
export async function loadConfigured(_input: CommandInput, overrides: Overrides): Promise<Question> {
  const scene = overrideScene({ ...DEFAULT_SCENE, sets: BUILTIN_SETS }, overrides);
  return { tools: BUILTIN_TOOLS, scene, wireStyle: "server__tool", notices: [] };
}
