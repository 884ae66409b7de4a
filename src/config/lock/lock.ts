import type { Origin, Sourced } from "../../core/codes/origin.ts";
import type { Pin } from "../../core/scene/scene.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { toTraits } from "../../core/tool/traits.ts";

/** What `toolcrib.lock` remembers: how servers were started, and what their tools were, when somebody looked at them. */
export interface Lock {
  readonly servers: ReadonlyMap<string, PinnedServer>;
  /** By identity: `server/tool`, or the name alone for what extensions register. */
  readonly tools: ReadonlyMap<string, PinnedTool>;
}

interface PinnedServer {
  /** Hash of how it is started or reached, as written. */
  readonly launch: string;
  /** The same for people: no values of variables or headers, because those may be secret. */
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
  /** What a scan found and a person accepted, by the names of the signals. */
  readonly signals: readonly string[];
  /** Hash of what was approved, by which it lies beside the lock; null where nobody kept it. */
  readonly text: string | null;
  /** The same where it is at hand: just pinned, or read from a lock of the first version. */
  readonly definition: PinnedDefinition | null;
}

/** Enough of a definition to show later what changed. */
export interface PinnedDefinition {
  readonly title?: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** What it claimed of itself, where that differs from the default. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The same as its source wrote it, with all that nobody here reads. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A lock, where it lies, and on which line each of its keys stands. */
export interface LockFile {
  readonly path: string;
  /** As the user would write it. */
  readonly file: string;
  /** Null: there is none, and nothing is held against one. */
  readonly lock: Lock | null;
  /** What was approved lies beside it, and the lock itself does not: it counts as one that pins nothing. */
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

/** The lock as it is now; one that went away meanwhile counts as it was before. */
export function lockAfter(now: LockFile, before: Lock | null): Lock | null {
  return now.isGone === true ? before : now.lock;
}

/** A workspace that nobody trusts may hold tools back, and may not let any pass that a scan holds back. */
export function withoutAcceptance(held: LockFile): LockFile {
  if (held.lock === null) return held;
  const tools = [...held.lock.tools].map(([identity, tool]) => [identity, { ...tool, signals: [] }] as const);
  return { ...held, lock: { ...held.lock, tools: new Map(tools) } };
}

const NOT_PINNED = "not pinned";

/** What the trust gate looks at; null where there is no lock. */
export function toPins(held: LockFile | null): Sourced<ReadonlyMap<string, Pin>> | null {
  if (held === null || held.lock === null) return null;
  const { lock, lines, file } = held;
  const at = (key: string): Origin => ({ kind: "file", file, line: lines.get(key) ?? null });
  const pins = [...lock.tools].map(([identity, { signature, approved, signals }]): [string, Pin] => {
    const server = identity.includes("/") ? (identity.split("/", 1)[0] ?? "") : "";
    // Tools of a server that is gone from the lock fit no way to start it.
    const launch = server === "" ? null : (lock.servers.get(server)?.launch ?? NOT_PINNED);
    return [identity, { signature, approved, launch, signals, origin: at(`tools ${identity}`) }];
  });
  return { value: new Map(pins), origin: at("") };
}
