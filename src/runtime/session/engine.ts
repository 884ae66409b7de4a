import type { ToolOverride } from "../../core/catalog/override-tools.ts";
import type { WireStyle } from "../../core/catalog/wire-name.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { findOff } from "../../core/gates/builtins.ts";
import type { Scene } from "../../core/scene/scene.ts";
import { createSearchText } from "../../core/search/search-text.ts";
import { isUntrusted, type Tool } from "../../core/tool/tool.ts";
import { buildToolset, rebuildToolset } from "../../core/toolset/build-toolset.ts";
import { noticeExclusions } from "../../core/toolset/check-filter.ts";
import type { LeftOut, Toolset } from "../../core/toolset/toolset.ts";
import type { Emitter } from "../events/emitter.ts";
import { buildWithoutClashes } from "./clashing-tools.ts";
import type { LiveTools } from "./live-tools.ts";

export interface EngineOptions {
  readonly live: Pick<LiveTools, "tools">;
  readonly emitter: Emitter;
  /** The scene as it is now; the same object while nothing about it changed. */
  readonly scene: () => Scene;
  readonly overrides: () => readonly ToolOverride[];
  readonly style: () => WireStyle;
  /** Notices that belong to the session rather than to one toolset: configuration, modules, skills. */
  readonly notices: () => readonly Notice[];
  readonly leftOut?: () => readonly LeftOut[];
}

/** Keeps the newest toolset that could be built. */
export interface Engine {
  readonly toolset: Toolset;
  /** Something changed; the toolset follows at the next look or shortly, whichever is first. */
  invalidate(): void;
  /** Builds at once and throws what stands in the way; the previous toolset stays then. */
  rebuild(): void;
}

/** Throws when the first toolset cannot be built: a session without one would be of no use. */
export function createEngine({ live, emitter, scene, overrides, style, notices, leftOut }: EngineOptions): Engine {
  const searchText = createSearchText();
  /** Tools with a built-in's name that were told of already. */
  const refused = new WeakSet<Tool>();
  let current = build(null, "strict");
  let dirty = false;
  let scheduled = false;
  let told = new Set<string>();
  let failure: string | null = null;
  let announced: Toolset | null = null;
  // Whoever opened the session gets to listen before the first toolset is announced.
  setImmediate(() => announce(current));

  /** Whoever opens or changes a session hears of its own tools' clashes at once; extensions register when they like (N5). */
  function build(previous: Toolset | null, how: "strict" | "lenient"): Toolset {
    const now = scene();
    const {
      catalog,
      notices: overridden,
      leftOut: clashing,
    } = buildWithoutClashes({
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
    for (const tool of clashing) refused.add(tool);
    const isSameScene = previous !== null && sceneOf.get(previous) === now;
    const toolset = isSameScene ? rebuildToolset(previous, catalog) : buildToolset(catalog, now);
    const told = [...notices(), ...overridden, ...toolset.notices];
    const complete = { ...toolset, notices: told, leftOut: leftOut?.() ?? [], searchText };
    sceneOf.set(complete, now);
    return complete;
  }

  /** E2: a change that cannot be taken over is told once, and the previous toolset stays. */
  function follow(): void {
    if (!dirty) return;
    dirty = false;
    try {
      take(build(current, "lenient"));
    } catch (error) {
      if (!isToolcribError(error)) throw error;
      const text = `the tools could not be refreshed, so the previous ones stay: ${error.message}`;
      if (failure !== error.code)
        emitter.emit("session.warning", {
          code: "session.refresh-failed",
          text,
          names: error.names,
          origin: error.origin ?? { kind: "default" },
        });
      failure = error.code;
    }
  }

  function take(next: Toolset): void {
    current = next;
    failure = null;
    if (announced !== null) announce(next);
  }

  /** E3 and E5: nothing is said twice, and nothing when all signatures and standings are equal. */
  function announce(after: Toolset): void {
    const before = announced;
    announced = after;
    if (before === null || !isSame(before, after))
      emitter.emit("session.tools_updated", { model: after.scene.model?.id ?? null });
    const keys = new Set<string>();
    for (const { level, ...notice } of [...after.notices, ...noticeExclusions(after.scene)]) {
      const key = `${level} ${notice.code} ${notice.text}`;
      if (!told.has(key) && !keys.has(key)) emitter.emit(level === "info" ? "session.info" : "session.warning", notice);
      keys.add(key);
    }
    told = keys;
  }

  return {
    get toolset() {
      follow();
      return current;
    },
    invalidate() {
      dirty = true;
      if (scheduled) return;
      scheduled = true;
      queueMicrotask(() => {
        scheduled = false;
        follow();
      });
    },
    rebuild() {
      take(build(current, "strict"));
      dirty = false;
    },
  };
}

const sceneOf = new WeakMap<Toolset, Scene>();

/** Whether a model could notice no difference: the same tools in the same standing, with the same definitions. */
function isSame(before: Toolset, after: Toolset): boolean {
  if (before.scene.model?.id !== after.scene.model?.id || before.placements.length !== after.placements.length)
    return false;
  return before.placements.every(({ entry, standing }, at) => {
    const other = after.placements[at];
    return (
      other?.standing === standing &&
      other.entry.wireName === entry.wireName &&
      other.entry.signature === entry.signature
    );
  });
}
