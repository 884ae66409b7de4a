import { isBuiltin, isServed } from "../../../core/tool/tool.ts";
import type { Source } from "../../../sources/source.ts";
import { READ_RESULT } from "../calls/result-source.ts";
import type { SessionCalls } from "../calls/session-calls.ts";
import type { SessionParts } from "./session-parts.ts";
import type { SessionSetting } from "./setting.ts";

/** Everything around the calls of a session, loaded on first use. */
export interface FirstCalls {
  load(): Promise<SessionCalls>;
  /** Null until it was loaded. */
  readonly now: SessionCalls | null;
  /** Ends what runs; what is still being loaded runs nothing. */
  close(): Promise<void>;
}

export function createFirstCalls(parts: SessionParts, setting: SessionSetting): FirstCalls {
  let loading: Promise<SessionCalls> | null = null;
  let now: SessionCalls | null = null;
  const load = async (): Promise<SessionCalls> => {
    const { createSessionCalls } = await import("../calls/session-calls.ts");
    now = await createSessionCalls({
      setting,
      config: () => parts.state.config,
      toolset: () => parts.engine?.toolset ?? null,
      sourceOf: parts.sourceOf,
      emit: parts.emitter.emit,
      onPrompt: parts.search.nextTurn,
      onKept: createKeeper(parts, setting),
    });
    // Nobody else would close it, and it must run nothing.
    if (parts.isClosed()) await now.close();
    return now;
  };
  return {
    load() {
      loading ??= load();
      return loading;
    },
    get now() {
      return now;
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

/** A long result that no file tool can read needs somebody who can, from then on. */
function createKeeper(parts: SessionParts, setting: SessionSetting) {
  const workspace = setting.calls?.workspace ?? null;
  let reader: Source | null = null;
  return (path: string, reading: Source): boolean => {
    if (reader !== null) return true;
    const isInside = workspace !== null && path.startsWith(workspace);
    const isOpen = parts.engine?.toolset.placements.some(
      ({ entry: { tool }, standing }) => standing === "visible" && isBuiltin(tool) && tool.name === "view",
    );
    const isTaken = parts.live.tools.some((tool) => tool.name === READ_RESULT.name && !isServed(tool));
    if ((isInside && isOpen) || isTaken || parts.isClosed()) return false;
    reader = reading;
    parts.live.add(reading);
    return true;
  };
}
