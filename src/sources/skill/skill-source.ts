import { fromThrown } from "../../core/call/tool-result.ts";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import { formatOrigin, type Sourced } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Skill } from "../../core/scene/scene.ts";
import type { LeftOut } from "../../core/toolset/toolset.ts";
import { createPassingSet } from "../../system/passing.ts";
import type { ActivateSkill } from "../host.ts";
import { type ImportModule, importModule } from "../module/load-module-tool.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import { unknownTool } from "../parts/results.ts";
import { runWhileOpen } from "../parts/run-while-open.ts";
import { untilTold } from "../parts/until-told.ts";
import { CONNECTED, type Source } from "../source.ts";
import type { SkillHost } from "./run-command.ts";
import { type CallMcp, createSkillRunner } from "./run-skill-tool.ts";
import type { LoadedSkill } from "./skill.ts";
import { createSkillState, type SkillStateOptions } from "./skill-state.ts";

export interface SkillSourceOptions extends SkillStateOptions {
  readonly host: SkillHost;
  /** Runs a tool of an MCP server through the session's whole pipeline, so that rules apply; null without servers. */
  readonly callMcp: CallMcp | null;
  readonly load?: ImportModule;
}

export interface SkillSource extends Source {
  /** Complete once `list` has resolved, like the others below. */
  readonly skills: readonly LoadedSkill[];
  readonly notices: readonly Notice[];
  /** Skills that are switched off, with the names of their tools, and tools that wait for trust. */
  readonly leftOut: readonly LeftOut[];
  /** The same array until something in it changes. */
  readonly sceneSkills: readonly Skill[];
  /** Makes a skill active until the session ends, and returns its text. */
  readonly activate: ActivateSkill;
  /** Replaces the skills that somebody other than the model made active. */
  setPreloaded(names: readonly Sourced<string>[]): void;
  /** Reads the folders again. */
  reload(): Promise<void>;
}

/** The tools of all skills, and which skills are active. Folders are read on the first `list`. */
export function createSkillSource(options: SkillSourceOptions): SkillSource {
  const listeners = createChangeListeners();
  const stop = new AbortController();
  const { host, callMcp, load = importModule } = options;
  const runner = createSkillRunner({ host, callMcp, load });
  const running = createPassingSet<Promise<unknown>>();
  const state = createSkillState(options, stop.signal);
  let loading: Promise<void> | null = null;

  const ensureLoaded = (): Promise<void> => {
    if (!stop.signal.aborted) loading ??= state.load();
    return loading ?? Promise.resolve();
  };
  return {
    kind: "skill",
    name: "skill",
    status: CONNECTED,
    get skills() {
      return state.loaded.skills;
    },
    get notices() {
      return loading === null ? [] : state.notices;
    },
    get leftOut() {
      return [...state.loaded.disabled.map(toLeftOut), ...state.loaded.skills.flatMap(toWaiting)];
    },
    get sceneSkills() {
      return state.scene;
    },
    async activate(name) {
      await ensureLoaded();
      const skill = state.loaded.skills.find((each) => each.name === name);
      if (skill === undefined) {
        const names = state.loaded.skills.map((each) => each.name);
        const near = nearestNames(name, names);
        return { unknown: near.length > 0 ? near : names };
      }
      if (state.invoke(name)) listeners.emit();
      return { folder: skill.folder, prompt: skill.prompt ?? "" };
    },
    setPreloaded(names) {
      state.setPreloaded(names, loading !== null);
      if (loading !== null) listeners.emit();
    },
    async reload() {
      await ensureLoaded();
      const before = { tools: state.tools, scene: JSON.stringify(state.scene) };
      await state.load();
      if (state.tools !== before.tools || JSON.stringify(state.scene) !== before.scene) listeners.emit();
    },
    async list(signal) {
      if (!signal.aborted) await ensureLoaded();
      return state.tools;
    },
    run: (tool, args, context) =>
      runWhileOpen(stop.signal, context, (open) => {
        const found = state.find(tool);
        if (found === null) return unknownTool(tool.name);
        const work = runner.run(found.skill, found.entry, tool, args, open).catch(fromThrown);
        const ended: Promise<unknown> = work.finally(() => running.delete(ended));
        running.add(ended);
        return untilTold(work, open);
      }),
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
