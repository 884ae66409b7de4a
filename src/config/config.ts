import type { NameList } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import type { Limit } from "../core/scene/scene.ts";
import type { MapNode } from "../core/shape/node.ts";
import type { FoundFile } from "./layers/find-files.ts";
import type { LockFile } from "./lock/lock.ts";
import type { Settings } from "./shape/file-shape.ts";
import type { Trust } from "./trust/trust.ts";
import type { TrustedFiles } from "./trust/trust-store.ts";

export type { AgentConfig } from "./shape/agent-shape.ts";
export type { GatewayConfig } from "./shape/gateway-shape.ts";
export type { HookConfig } from "./shape/hook-shape.ts";
export type { ServerConfig } from "./shape/server-shape.ts";

/** The effective configuration: all layers merged, each value with its origin. */
export interface Config extends Settings {
  /** The limits that managed policy sets on all of this. */
  readonly limits: readonly Limit[];
  /** The agents that those above it leave to this one to start: it needs to be in each list. */
  readonly startable?: readonly NameList[];
  /** It belongs to an agent that works for another one. */
  readonly isSubagent?: boolean;
  readonly trust: Trust;
  /** Trusted scripts and folders of `.toolcrib/extensions`, by name, each with the trusted hash. */
  readonly extensionFiles: ReadonlyMap<string, string>;
  /** Trusted tools of skills that a project names, by the file that defines each, with the trusted hash. */
  readonly skillPrograms: ReadonlyMap<string, string>;
  /** Trusted files of the workspace that entries run outside the sandbox, by name, with the trusted hash. */
  readonly hostFiles: TrustedFiles;
  /** What was approved earlier; null if a program uses no lock. */
  readonly lock: LockFile | null;
  readonly files: readonly FoundFile[];
  readonly notices: readonly Notice[];
  /** The merged values as written: variables unexpanded, secrets included. Print through `listValues` only. */
  readonly written: MapNode;
}
