import { nameList, type Sourced } from "../../core/codes/origin.ts";
import type { Skill } from "../../core/scene/scene.ts";
import type { LoadedSkill } from "./skill.ts";

/**
 * What gates and prompts need to know about skills. An active name that does not exist restricts tools to the
 * framework's own: nobody knows what it would have allowed (G11).
 */
export function toSceneSkills(loaded: readonly LoadedSkill[], active: readonly Sourced<string>[]): readonly Skill[] {
  const asked = new Set(active.map(({ value }) => value));
  const known = new Set(loaded.map(({ name }) => name));
  const missing = new Map(active.filter(({ value }) => !known.has(value)).map((name) => [name.value, name]));
  return [
    ...loaded.map(({ name, origin, activation, allowedTools, prompt, description }) => ({
      name,
      origin,
      active: activation === "on-load" || asked.has(name),
      allowedTools,
      prompt,
      description,
    })),
    ...[...missing.values()].map(({ value, origin }) => ({
      name: value,
      origin,
      active: true,
      allowedTools: nameList([], origin),
      prompt: null,
      description: null,
      missing: true as const,
    })),
  ];
}
