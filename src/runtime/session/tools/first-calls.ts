import type { ToolResult } from "../../../core/call/tool-result.ts";
import { isBuiltin, isServed, type Tool } from "../../../core/tool/tool.ts";
import type { Source } from "../../../sources/source.ts";
import type { Emitter } from "../../events/emitter.ts";
import { READ_RESULT } from "../calls/result-source.ts";
import type { SessionCalls } from "../calls/session-calls.ts";
import type { SessionSearch } from "../search/session-search.ts";
import type { LiveTools } from "../sources/live-tools.ts";
import type { Engine } from "./engine.ts";
import { createSessionCode } from "./session-code.ts";
import type { SessionHost, SourcePorts } from "./session-host.ts";
import type { SessionState } from "./session-state.ts";
import type { SessionSetting } from "./setting.ts";

/** Everything around the calls of a session, loaded on first use. */
export interface FirstCalls {
  load(): Promise<SessionCalls>;
  /** Null until it was loaded. */
  readonly now: SessionCalls | null;
  readonly callTool: SourcePorts["callTool"];
  /** The source that runs a tool, while both are there. */
  sourceOf(tool: Tool): Source | undefined;
  /** Runs `run_code`. */
  readonly code: Source;
  /** Ends what runs; what is still being loaded runs nothing. */
  close(): Promise<void>;
}

interface FirstCallPorts {
  readonly setting: SessionSetting;
  readonly emitter: Emitter;
  readonly state: SessionState;
  readonly live: LiveTools;
  readonly engine: Engine;
  readonly search: SessionSearch;
  readonly host: SessionHost;
  readonly isClosed: () => boolean;
}

export function createFirstCalls(ports: FirstCallPorts): FirstCalls {
  const { setting, emitter, state, live, engine, search, host } = ports;
  let loading: Promise<SessionCalls> | null = null;
  let now: SessionCalls | null = null;
  const code = createSessionCode({
    ...{ timing: setting.timing, find: search.find, limits: setting.limits ?? {} },
    owner: { client: setting.usage?.tenant || setting.id, session: setting.id },
    executor: async () => (await load()).executor,
    sourceOf: (tool) => live.sourceOf(tool),
  });
  /** Search and code are added to the catalog by itself: no source lists them. */
  const sourceOf = (tool: Tool): Source | undefined => {
    const { catalog } = engine.toolset;
    return tool === catalog.search?.tool ? search.source : tool === catalog.code?.tool ? code : live.sourceOf(tool);
  };
  const loadCalls = async (): Promise<SessionCalls> => {
    const { createSessionCalls } = await import("../calls/session-calls.ts");
    now = await createSessionCalls({
      ...{ setting, sourceOf, confinement: host.confinement, emit: emitter.emit, onPrompt: search.nextTurn },
      config: () => state.config,
      toolset: () => engine.toolset,
      onKept: createKeeper(ports),
    });
    // Nobody else would close it, and it must run nothing.
    if (ports.isClosed()) await now.close();
    return now;
  };
  const load = (): Promise<SessionCalls> => {
    loading ??= loadCalls();
    return loading;
  };
  return {
    load,
    get now() {
      return now;
    },
    sourceOf,
    code,
    callTool: async (identity, args, { toolCallId, signal }): Promise<ToolResult> =>
      (await load()).call(identity, args, { id: `${toolCallId}.${identity}`, signal }),
    async close() {
      await (await loading)?.close();
    },
  };
}

/** A long result that no file tool can read needs a source that can, from then on. */
function createKeeper({ setting: { workspace }, engine, live, isClosed }: FirstCallPorts) {
  let reader: Source | null = null;
  return (path: string, reading: Source): boolean => {
    if (reader !== null) return true;
    const isInside = workspace !== null && path.startsWith(workspace);
    const isOpen = engine.toolset.placements.some(
      ({ entry: { tool }, standing }) => standing === "visible" && isBuiltin(tool) && tool.name === "view",
    );
    const isTaken = live.tools.some((tool) => tool.name === READ_RESULT.name && !isServed(tool));
    if ((isInside && isOpen) || isTaken || isClosed()) return false;
    reader = reading;
    live.add(reading);
    return true;
  };
}
