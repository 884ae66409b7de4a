import type { Origin, Sourced } from "../../core/codes/origin.ts";
import type { Pin } from "../../core/scene/scene.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { toTraits } from "../../core/tool/traits.ts";

/** What `toolcrib.lock` records: how servers were started, and what their tools were, when somebody reviewed them. */
export interface Lock {
  readonly servers: ReadonlyMap<string, PinnedServer>;
  /** By identity: `server/tool`, or the name alone for what extensions register. */
  readonly tools: ReadonlyMap<string, PinnedTool>;
}

interface PinnedServer {
  /** Hash of how it is started or reached, as written. */
  readonly launch: string;
  /** The same for people: without values of variables or headers, because those may be secret. */
  readonly spec: LaunchSpec;
}

export interface LaunchSpec {
  readonly type: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: readonly string[];
  readonly url?: string;
  readonly headers?: readonly string[];
}

export interface PinnedTool {
  readonly signature: string;
  readonly approved: boolean;
  /** Scan findings that a person accepted, by signal name. */
  readonly signals: readonly string[];
  /** Hash of what was approved, the name of its file beside the lock; null if it was not stored. */
  readonly text: string | null;
  /** The same if available: just pinned, or read from a lock of the first version. */
  readonly definition: PinnedDefinition | null;
}

/** Enough of a definition to show later what changed. */
export interface PinnedDefinition {
  readonly title?: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** Its claims that differ from the default. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The same as its source wrote it, including what is not read here. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A lock, its location, and the line of each of its keys. */
export interface LockFile {
  readonly path: string;
  /** As the user would write it. */
  readonly file: string;
  /** Null if there is none, and nothing is checked against one. */
  readonly lock: Lock | null;
  /** The approved definitions exist but the lock does not: it counts as one that pins nothing. */
  readonly isGone?: true;
  readonly lines: ReadonlyMap<string, number>;
}

export const NO_LOCK: Lock = { servers: new Map(), tools: new Map() };

export function toPinnedDefinition(tool: Tool): PinnedDefinition {
  const { title, description, inputSchema, outputSchema, traits, harmless, annotations } = tool;
  const cautious: object = toTraits(null);
  const stated = Object.entries(traits).filter(([key, value]) => value !== Reflect.get(cautious, key));
  const claims = { ...Object.fromEntries(stated), ...(harmless ? { harmless } : {}) };
  return {
    ...(title === null ? {} : { title }),
    description,
    ...(inputSchema === null ? {} : { inputSchema }),
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(Object.keys(claims).length === 0 ? {} : { claims }),
    ...(isRecord(annotations) ? { annotations } : {}),
  };
}

/** The current lock; if it was removed in the meantime, the earlier one counts. */
export function lockAfter(now: LockFile, before: Lock | null): Lock | null {
  return now.isGone === true ? before : now.lock;
}

const NOT_PINNED = "not pinned";

/** The pins for the trust gate; null if there is no lock. */
export function toPins(lockFile: LockFile | null): Sourced<ReadonlyMap<string, Pin>> | null {
  if (lockFile === null || lockFile.lock === null) return null;
  const { lock, lines, file } = lockFile;
  const at = (key: string): Origin => ({ kind: "file", file, line: lines.get(key) ?? null });
  const pins = [...lock.tools].map(([identity, { signature, approved, signals }]): [string, Pin] => {
    const server = identity.includes("/") ? (identity.split("/", 1)[0] ?? "") : "";
    // Tools of a server that is gone from the lock match no way to start it.
    const launch = server === "" ? null : (lock.servers.get(server)?.launch ?? NOT_PINNED);
    return [identity, { signature, approved, launch, signals, origin: at(`tools ${identity}`) }];
  });
  return { value: new Map(pins), origin: at("") };
}
