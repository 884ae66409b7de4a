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

/** The effective configuration: what all layers together say, each value with its origin. */
export interface Config extends Settings {
  /** What managed policy narrows all of this to. */
  readonly limits: readonly Limit[];
  /** It is that of an agent which works for another one, below the top level. */
  readonly isSubagent?: boolean;
  readonly trust: Trust;
  /** Trusted scripts and folders of `.toolcrib/extensions`, by name, each with the hash of what was trusted. */
  readonly extensionFiles: ReadonlyMap<string, string>;
  /** Trusted tools of skills that a project names, by the file that defines each, with the hash of what was trusted. */
  readonly skillPrograms: ReadonlyMap<string, string>;
  /** Trusted files of the workspace that entries run outside the sandbox, by name, with the hash of what was trusted. */
  readonly hostFiles: TrustedFiles;
  /** What was approved earlier; null where a program holds nothing against it. */
  readonly lock: LockFile | null;
  readonly files: readonly FoundFile[];
  readonly notices: readonly Notice[];
  /** The merged values as written: variables unexpanded, secrets in place. Print through `listValues` only. */
  readonly written: MapNode;
}
