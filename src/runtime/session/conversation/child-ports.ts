import type { AgentNode } from "../../agents/agent-node.ts";
import type { AgentTree } from "../../agents/agent-tree.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { SessionSurroundings } from "../options/run-profile.ts";
import type { TalkOptions } from "../options/session-options.ts";
import type { OpenSession } from "../tools/session.ts";
import type { SessionSetting } from "../tools/setting.ts";

/** What all agents of one session share. */
export interface ChildPorts {
  readonly tree: () => AgentTree;
  /** The session at the top, whose journal all of them write. */
  readonly root: OpenSession;
  readonly given: () => TalkOptions;
  readonly around: SessionSurroundings;
  readonly emit: Emitter["emit"];
}

/** An agent that has others work for it: its session, and how that was set. */
export interface Employer {
  readonly node: AgentNode;
  readonly session: OpenSession;
  readonly setting: SessionSetting;
}
