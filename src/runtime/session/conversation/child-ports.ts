import type { Surroundings } from "../../../system/surroundings.ts";
import type { AgentNode } from "../../agents/agent-node.ts";
import type { AgentTree } from "../../agents/agent-tree.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { AskingOptions } from "../options/session-options.ts";
import type { SessionBase } from "../tools/session.ts";
import type { SessionSetting } from "../tools/setting.ts";

/** What a conversation and those of the agents below it have in common. */
export interface ConversationPlace {
  readonly setting: SessionSetting;
  /** Asked for every run: options change. */
  readonly given: () => AskingOptions;
  readonly around: Surroundings;
  readonly emit: Emitter["emit"];
}

/** What all agents of one session share. */
export interface ChildPorts extends Omit<ConversationPlace, "setting"> {
  readonly tree: AgentTree;
  /** The session at the top, whose journal all of them write. */
  readonly root: SessionBase;
}

/** An agent that has others work for it: its session, and what that is made of. */
export interface Employer {
  readonly node: AgentNode;
  readonly session: SessionBase;
  readonly setting: SessionSetting;
}
