import { formatOrigin, type Sourced } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Skill } from "../../core/scene/scene.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { findListed } from "../parts/find-tool.ts";
import { keepTools } from "../parts/keep-tools.ts";
import { type LoadedSkills, type LoadSkillsOptions, loadSkills, unknownSkill } from "./load-skills.ts";
import { toSceneSkills } from "./scene-skills.ts";
import type { LoadedSkill, SkillTool } from "./skill.ts";

export interface SkillStateOptions extends LoadSkillsOptions {
  /** Skills that are active from the start, such as those of the selected agent. */
  readonly preloaded?: readonly Sourced<string>[];
  /** `skill.invoked`: a skill became active. */
  readonly onInvoked?: (skill: LoadedSkill) => void;
}

const NOTHING: LoadedSkills = { skills: [], disabled: [], notices: [] };

interface FoundSkillTool {
  readonly skill: LoadedSkill;
  readonly entry: SkillTool;
}

/** The skills that were read, their tools, and which of them are active. */
export interface SkillState {
  readonly loaded: LoadedSkills;
  readonly tools: readonly Tool[];
  readonly scene: readonly Skill[];
  readonly notices: readonly Notice[];
  load(): Promise<void>;
  find(tool: Tool): FoundSkillTool | null;
  /** Makes a skill active; false if it was already. */
  invoke(name: string): boolean;
  setPreloaded(names: readonly Sourced<string>[], isLoaded: boolean): void;
}

export function createSkillState(options: SkillStateOptions, closed: AbortSignal): SkillState {
  const invoked = new Map<string, Sourced<string>>();
  const reported = new Set<string>();
  let preloaded = options.preloaded ?? [];
  let loaded = NOTHING;
  let tools: readonly Tool[] = [];
  let foundBy = new Map<Tool, FoundSkillTool>();
  let scene: readonly Skill[] = [];

  const refreshScene = (): void => {
    scene = toSceneSkills(loaded.skills, [...preloaded, ...invoked.values()]);
    for (const { name, active } of scene) {
      const skill = loaded.skills.find((each) => each.name === name);
      if (!active || skill === undefined || reported.has(name)) continue;
      reported.add(name);
      options.onInvoked?.(skill);
    }
  };
  return {
    get loaded() {
      return loaded;
    },
    get tools() {
      return tools;
    },
    get scene() {
      return scene;
    },
    get notices() {
      const known = new Set(loaded.skills.map(({ name }) => name));
      const missing = preloaded.filter(({ value }) => !known.has(value));
      return [...loaded.notices, ...missing.map((name) => toMissingNotice(name, loaded, known))];
    },
    async load() {
      const next = await loadSkills(options);
      if (closed.aborted) return;
      loaded = next;
      const found = loaded.skills.flatMap((skill) => skill.tools.map((entry) => ({ skill, entry })));
      tools = keepTools(
        tools,
        found.map(({ entry }) => entry.tool),
      );
      foundBy = new Map(tools.flatMap((tool, at) => (found[at] === undefined ? [] : [[tool, found[at]] as const])));
      refreshScene();
    },
    find(tool) {
      const found = findListed(tools, tool);
      return found === null ? null : (foundBy.get(found) ?? null);
    },
    invoke(name) {
      if (scene.some((each) => each.name === name && each.active)) return false;
      invoked.set(name, { value: name, origin: { kind: "call", call: "skill" } });
      refreshScene();
      return true;
    },
    setPreloaded(names, isLoaded) {
      preloaded = names;
      if (isLoaded) refreshScene();
    },
  };
}

/** A disabled skill does exist, so looking for its folder would not help. */
function toMissingNotice(wanted: Sourced<string>, { disabled }: LoadedSkills, known: Iterable<string>): Notice {
  const off = disabled.find(({ value }) => value.name === wanted.value);
  const notice = unknownSkill(wanted, "an agent", known);
  const text = `an agent names the skill "${wanted.value}", which disabledSkills switches off`;
  const why = off === undefined ? notice.text : `${text} (${formatOrigin(off.origin)})`;
  return { ...notice, text: `${why}; a skill that is not loaded allows the agent no tools` };
}
