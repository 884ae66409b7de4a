import type { Config } from "../../../config/config.ts";
import type { SceneFacts } from "../../../config/to-scene.ts";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { Origin } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import type { Mode } from "../../../core/scene/scene.ts";
import type { LeftOut } from "../../../core/toolset/toolset.ts";
import type { AgentsPort } from "../../../sources/agents-port.ts";
import type { RunContext, Source } from "../../../sources/source.ts";
import type { HiddenValues } from "../../../system/text/hidden-values.ts";
import type { SessionAudit } from "../../audit/session-audit.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { SessionCallSetting } from "../calls/call-setting.ts";
import type { SearchSetting } from "../search/session-search.ts";
import type { WantedSource } from "../sources/configured-sources.ts";

/** What a session lends to whatever surrounds it. */
export interface SessionPorts {
  readonly emit: Emitter["emit"];
  /** Facts of the scene changed. */
  readonly changed: () => void;
  /** Changes the mode of the session from inside a call. */
  readonly setMode: (mode: Mode, origin: Origin) => void;
  /** Calls a tool from inside another call, through every stage. */
  readonly callTool: (
    identity: string,
    args: Readonly<Record<string, unknown>>,
    context: RunContext,
  ) => Promise<ToolResult>;
}

/** What surrounds a session: everything that configuration does not say. */
export interface SessionSetting extends SearchSetting, SessionCallSetting {
  readonly signal: AbortSignal;
  /** Sources besides MCP servers: built-ins, modules, skills, extensions, what the host registers. */
  readonly sources: (config: Config) => Promise<readonly WantedSource[]>;
  /** Opens sources in place of the session, which closes what it got and never more. Absent: each is its own. */
  readonly open?: (wanted: WantedSource) => Promise<Source>;
  readonly facts: (config: Config, sources: readonly Source[]) => SceneFacts;
  /** What the sources found worth telling. */
  readonly notices: () => readonly Notice[];
  /** What of them was taken away before it could be a tool. */
  readonly leftOut?: (config: Config) => readonly LeftOut[];
  /** The log of its calls, closed with it; absent: somebody else keeps one, or nobody does. */
  readonly audit?: SessionAudit | undefined;
  /** Values that no event may hold; none if absent. */
  readonly hidden?: HiddenValues | undefined;
  /** That of an agent which works for this one, in a folder of its own or in the same: only what is its own. */
  readonly below: (child: {
    readonly id: string;
    readonly agents: AgentsPort;
    readonly folder: string | null;
  }) => SessionSetting;
  /** Called once, before any source is opened. */
  readonly attach: (ports: SessionPorts) => void;
}
