import { fromThrown, type ToolResult } from "../../core/call/tool-result.ts";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import { formatOrigin, type Sourced } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Skill } from "../../core/scene/scene.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { LeftOut } from "../../core/toolset/toolset.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import type { ActivateSkill } from "../host.ts";
import { type ImportModule, importModule } from "../module/load-module-tool.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import { underEither } from "../parts/either-signal.ts";
import { findTool } from "../parts/find-tool.ts";
import { keepTools } from "../parts/keep-tools.ts";
import { CANCELLED, CLOSED, unknownTool } from "../parts/results.ts";
import { CONNECTED, type RunContext, type Source } from "../source.ts";
import { type LoadedSkills, type LoadSkillsOptions, loadSkills, unknownSkill } from "./load-skills.ts";
import type { SkillHost } from "./run-command.ts";
import { type CallMcp, createSkillRunner } from "./run-skill-tool.ts";
import { toSceneSkills } from "./scene-skills.ts";
import type { LoadedSkill, SkillTool } from "./skill.ts";

export interface SkillSourceOptions extends LoadSkillsOptions {
  readonly host: SkillHost;
  /** Runs a tool of an MCP server through the session's whole pipeline, so that its rules hold; null without servers. */
  readonly callMcp: CallMcp | null;
  /** Skills that are active from the start, such as those of the selected agent. */
  readonly preloaded?: readonly Sourced<string>[];
  /** `skill.invoked`: a skill became active. */
  readonly onInvoked?: (skill: LoadedSkill) => void;
  readonly load?: ImportModule;
}

export interface SkillSource extends Source {
  /** All of these are complete once `list` has answered. */
  readonly skills: readonly LoadedSkill[];
  readonly notices: readonly Notice[];
  /** Skills that are switched off, with the names of their tools, and tools that wait for trust. */
  readonly leftOut: readonly LeftOut[];
  /** The same list until something about it changes. */
  readonly sceneSkills: readonly Skill[];
  /** Makes a skill active until the session ends, and answers with its text. */
  readonly activate: ActivateSkill;
  /** Replaces the skills that are active because somebody other than the model wants them. */
  setPreloaded(names: readonly Sourced<string>[]): void;
  /** Looks at the folders again. */
  reload(): Promise<void>;
}

const NOTHING: LoadedSkills = { skills: [], disabled: [], notices: [] };

/** The tools of all skills, and which skills are active. Folders are read on the first `list`. */
export function createSkillSource(options: SkillSourceOptions): SkillSource {
  const listeners = createChangeListeners();
  const stop = new AbortController();
  const runner = createSkillRunner({
    host: options.host,
    callMcp: options.callMcp,
    load: options.load ?? importModule,
  });
  const running = new Set<Promise<unknown>>();
  const invoked = new Map<string, Sourced<string>>();
  const told = new Set<string>();
  let preloaded = options.preloaded ?? [];
  let loaded = NOTHING;
  let tools: readonly Tool[] = [];
  let behind = new Map<Tool, { readonly skill: LoadedSkill; readonly entry: SkillTool }>();
  let scene: readonly Skill[] = [];
  let loading: Promise<void> | null = null;

  const refreshScene = (): void => {
    scene = toSceneSkills(loaded.skills, [...preloaded, ...invoked.values()]);
    for (const { name, active } of scene) {
      const skill = loaded.skills.find((each) => each.name === name);
      if (!active || skill === undefined || told.has(name)) continue;
      told.add(name);
      options.onInvoked?.(skill);
    }
  };
  const load = async (): Promise<void> => {
    const next = await loadSkills(options);
    if (stop.signal.aborted) return;
    loaded = next;
    const pairs = loaded.skills.flatMap((skill) => skill.tools.map((entry) => ({ skill, entry })));
    tools = keepTools(
      tools,
      pairs.map(({ entry }) => entry.tool),
    );
    behind = new Map(
      pairs.flatMap((pair, at) => {
        const tool = tools[at];
        return tool === undefined ? [] : [[tool, pair] as const];
      }),
    );
    refreshScene();
  };
  const ensureLoaded = (): Promise<void> => {
    if (!stop.signal.aborted) loading ??= load();
    return loading ?? Promise.resolve();
  };
  const run = async (tool: Tool, args: Readonly<Record<string, unknown>>, context: RunContext): Promise<ToolResult> => {
    if (stop.signal.aborted) return CLOSED;
    if (context.signal.aborted) return CANCELLED;
    const found = findTool(tools, tool);
    const pair = found === null ? undefined : behind.get(found);
    if (pair === undefined) return unknownTool(tool.name);
    return underEither(context.signal, stop.signal, (signal) => {
      const work = runner.run(pair.skill, pair.entry, tool, args, { ...context, signal }).catch(fromThrown);
      const ended: Promise<unknown> = work.finally(() => running.delete(ended));
      running.add(ended);
      return untilAborted(work, signal, () => CANCELLED);
    });
  };

  return {
    kind: "skill",
    name: "skill",
    status: CONNECTED,
    get skills() {
      return loaded.skills;
    },
    get notices() {
      const known = new Set(loaded.skills.map(({ name }) => name));
      const missing = loading === null ? [] : preloaded.filter(({ value }) => !known.has(value));
      return [...loaded.notices, ...missing.map((name) => toMissingNotice(name, loaded, known))];
    },
    get leftOut() {
      return [...loaded.disabled.map(toLeftOut), ...loaded.skills.flatMap(toWaiting)];
    },
    get sceneSkills() {
      return scene;
    },
    async activate(name) {
      await ensureLoaded();
      const skill = loaded.skills.find((each) => each.name === name);
      if (skill === undefined) {
        const names = loaded.skills.map((each) => each.name);
        const near = nearestNames(name, names);
        return { unknown: near.length > 0 ? near : names };
      }
      if (!scene.some((each) => each.name === name && each.active)) {
        invoked.set(name, { value: name, origin: { kind: "call", call: "skill" } });
        refreshScene();
        listeners.tell();
      }
      return {
        text: `The skill "${name}" is active. Its files are in ${skill.folder}.\n\n${skill.prompt ?? ""}`.trim(),
      };
    },
    setPreloaded(names) {
      preloaded = names;
      if (loading === null) return;
      refreshScene();
      listeners.tell();
    },
    async reload() {
      await ensureLoaded();
      const before = { tools, scene: JSON.stringify(scene) };
      await load();
      if (tools !== before.tools || JSON.stringify(scene) !== before.scene) listeners.tell();
    },
    async list(signal) {
      if (!signal.aborted) await ensureLoaded();
      return tools;
    },
    run,
    changes: listeners.add,
    async close() {
      stop.abort();
      listeners.clear();
      await Promise.all([loading?.catch(() => {}), ...running]);
    },
  };
}

function toLeftOut({ value: { name, tools }, origin }: Sourced<LoadedSkill>): LeftOut {
  const place = formatOrigin(origin);
  const text = `the skill "${name}" is switched off; remove "${name}" from disabledSkills (${place})`;
  return { names: [name, ...tools.map(({ tool }) => tool.name)], text };
}

function toWaiting({ name: skill, waiting }: LoadedSkill): readonly LeftOut[] {
  return waiting.map(({ tool: { name } }) => ({
    names: [name],
    text: `the tool "${name}" of the skill "${skill}" waits until what it runs is trusted; run "toolcrib trust"`,
  }));
}

/** One that is switched off does exist, and looking for its folder would not help. */
function toMissingNotice(wanted: Sourced<string>, { disabled }: LoadedSkills, known: Iterable<string>): Notice {
  const off = disabled.find(({ value }) => value.name === wanted.value);
  const notice = unknownSkill(wanted, "an agent", known);
  const text = `an agent names the skill "${wanted.value}", which disabledSkills switches off`;
  const why = off === undefined ? notice.text : `${text} (${formatOrigin(off.origin)})`;
  return { ...notice, text: `${why}; a skill that is not loaded allows the agent no tools` };
}
