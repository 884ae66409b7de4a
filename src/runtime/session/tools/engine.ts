import type { ToolOverride } from "../../../core/catalog/override-tools.ts";
import type { WireStyle } from "../../../core/catalog/wire-name.ts";
import { defaultOrigin } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { findOff } from "../../../core/gates/builtins.ts";
import type { Scene } from "../../../core/scene/scene.ts";
import { createSearchText } from "../../../core/search/search-text.ts";
import { isUntrusted, type Tool } from "../../../core/tool/tool.ts";
import { buildToolset, rebuildToolset } from "../../../core/toolset/build-toolset.ts";
import type { LeftOut, Toolset } from "../../../core/toolset/toolset.ts";
import { BACKGROUND } from "../../../system/time/background.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { LiveTools } from "../sources/live-tools.ts";
import { createAnnouncer } from "./announce-toolset.ts";
import { buildWithoutClashes } from "./clashing-tools.ts";

export interface EngineOptions {
  readonly live: Pick<LiveTools, "tools">;
  readonly emitter: Emitter;
  /** The scene as it is now; the same object while nothing about it changed. */
  readonly scene: () => Scene;
  readonly overrides: () => readonly ToolOverride[];
  readonly style: () => WireStyle;
  /** Notices that belong to the session rather than to one toolset: configuration, modules, skills. */
  readonly notices: () => readonly Notice[];
  /** What weight the notices of a toolset have in this configuration. */
  readonly weigh?: (notices: readonly Notice[]) => readonly Notice[];
  readonly leftOut?: () => readonly LeftOut[];
  /** Servers that do not work, for observers. */
  readonly troubles: (toolset: Toolset) => readonly Notice[];
  /** Hash of the tools that listeners know already, from before the session was resumed. */
  readonly toldTools?: string | null;
}

/** Keeps the newest toolset that could be built. */
export interface Engine {
  /** Throws before the first one was built. */
  readonly toolset: Toolset;
  /**
   * Something changed; the toolset follows at the next look or shortly, whichever is first. `in-turn` is for what others
   * change as often as they like: then everybody who uses it follows one after the other, with room between.
   */
  invalidate(when?: "shortly" | "in-turn"): void;
  /** Builds at once and throws what stands in the way; the previous toolset stays then. */
  rebuild(): void;
  /** Reports the toolset, and from now on each that differs from it. */
  announce(): void;
}

export function createEngine(options: EngineOptions): Engine {
  const { emitter } = options;
  const build = createBuilder(options);
  const announcer = createAnnouncer(emitter, options.troubles, options.toldTools);
  let current: Toolset | null = null;
  let dirty = false;
  const scheduled = new Set<"shortly" | "in-turn">();
  let failure: string | null = null;

  const open = (): Toolset => {
    if (current === null) throw new TypeError("the session is not open yet");
    return current;
  };
  const take = (next: Toolset): void => {
    current = next;
    failure = null;
    announcer.follow(next);
  };
  /** E2: a change that cannot be taken over is told once, and the previous toolset stays. */
  const follow = (): void => {
    dirty = false;
    try {
      take(build(current, "lenient"));
    } catch (error) {
      if (!isToolcribError(error)) throw error;
      const text = `the tools could not be refreshed, so the previous ones stay: ${error.message}`;
      const { code, names } = error;
      const origin = error.origin ?? defaultOrigin;
      if (failure !== code) emitter.emit("session.warning", { code: "session.refresh-failed", text, names, origin });
      failure = code;
    }
  };

  return {
    get toolset() {
      if (dirty) BACKGROUND.now(follow);
      return open();
    },
    invalidate(when = "shortly") {
      if (current === null) return;
      dirty = true;
      if (scheduled.has(when)) return;
      scheduled.add(when);
      const act = (): void => {
        scheduled.delete(when);
        if (dirty) follow();
      };
      if (when === "in-turn") BACKGROUND.soon(act);
      else queueMicrotask(() => BACKGROUND.now(act));
    },
    rebuild() {
      take(build(current, "strict"));
      dirty = false;
    },
    announce: () => announcer.begin(open()),
  };
}

/** Clashes of a program's own tools are thrown when it opens or changes a session; extensions register at any time (N5). */
function createBuilder({ live, scene, overrides, style, notices, weigh, leftOut }: EngineOptions) {
  const searchText = createSearchText();
  const sceneOf = new WeakMap<Toolset, Scene>();
  /** Tools with a built-in's name that were told of already. */
  const refused = new WeakSet<Tool>();
  return (previous: Toolset | null, how: "strict" | "lenient"): Toolset => {
    const now = scene();
    const built = buildWithoutClashes({
      tools: live.tools,
      overrides: overrides(),
      options: {
        style: style(),
        previous: previous?.catalog ?? null,
        sets: now.sets,
        servers: now.servers.keys(),
        isOff: findOff(now),
      },
      mayLeaveOut: (tool) => how === "lenient" || isUntrusted(tool) || refused.has(tool),
    });
    for (const tool of built.leftOut) refused.add(tool);
    const isSameScene = previous !== null && sceneOf.get(previous) === now;
    const toolset = isSameScene ? rebuildToolset(previous, built.catalog) : buildToolset(built.catalog, now);
    const told = [...notices(), ...built.notices, ...(weigh?.(toolset.notices) ?? toolset.notices)];
    const complete = { ...toolset, notices: told, leftOut: leftOut?.() ?? [], searchText };
    sceneOf.set(complete, now);
    return complete;
  };
}
