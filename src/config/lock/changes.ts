import { basename } from "node:path";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { isAsPinned, toPinnedSignature } from "../../core/tool/pinned-signature.ts";
import { isUntrusted } from "../../core/tool/tool.ts";
import { type LineChange, toLineChanges } from "../../core/trust/line-changes.ts";
import { scanEntry } from "../../core/trust/scan-entry.ts";
import { SIGNALS, type Signal } from "../../core/trust/signal.ts";
import { toVisibleText } from "../../core/trust/visible-text.ts";
import type { ServerConfig } from "../shape/server-shape.ts";
import { type Approved, approvedFolder, loadApproved } from "./approved-folder.ts";
import { toApprovedText } from "./approved-text.ts";
import { toLaunchSpec } from "./launch-spec.ts";
import {
  type LaunchSpec,
  type Lock,
  type LockFile,
  NO_LOCK,
  type PinnedDefinition,
  type PinnedTool,
  toPinnedDefinition,
} from "./lock.ts";

/** The part of a toolset that matters here: what was listed. */
export interface Listed {
  readonly catalog: Pick<Catalog, "entries">;
}

/** Something that waits for a person: a tool that differs from its pin, or a server that is started differently. */
export interface DefinitionChange {
  /** `tool:github/create_issue`, `launch:github`. */
  readonly id: string;
  readonly kind: "changed" | "new" | "quarantined" | "launch";
  /** The server, or who registered the tool. */
  readonly server: string;
  /** Its identity as people write it; the server's name for a launch. */
  readonly tool: string;
  readonly signals: readonly Signal[];
  readonly diff: readonly LineChange[];
  /** Why the approved definition cannot be shown, so that `diff` is the whole new one; null if it can. */
  readonly remark: string | null;
}

/**
 * What in a session waits for a person, compared with a lock. Without one, only what the scanner quarantines. Tools
 * that are refused regardless are not listed: there is nothing to approve.
 */
export async function listChanges(
  toolset: Listed,
  servers: ReadonlyMap<string, ServerConfig>,
  lockFile: Pick<LockFile, "path" | "lock"> | null,
): Promise<readonly DefinitionChange[]> {
  const tools: DefinitionChange[] = [];
  for (const entry of toolset.catalog.entries) {
    const change = toToolChange(entry, lockFile?.lock ?? null);
    if (change !== null) tools.push(change.kind === "changed" ? await compare(change, entry, lockFile) : change);
  }
  return [...listLaunches(servers, lockFile?.lock ?? null), ...tools];
}

/** Servers that would be started differently from when they were pinned: known without asking them. */
export function listLaunches(
  servers: ReadonlyMap<string, ServerConfig>,
  lock: Lock | null,
): readonly DefinitionChange[] {
  return lock === null ? [] : [...servers.values()].flatMap((server) => toLaunchChange(server, lock) ?? []);
}

/** Changes are looked for in the whole definition, however deep. */
async function compare(
  change: DefinitionChange,
  entry: Entry,
  lockFile: Pick<LockFile, "path" | "lock"> | null,
): Promise<DefinitionChange> {
  const pinned = lockFile?.lock?.tools.get(entry.identity);
  const approved: Approved =
    lockFile === null || pinned === undefined ? { kind: "missing" } : await loadApproved(lockFile.path, pinned);
  const definition = toPinnedDefinition(entry.tool.original ?? entry.tool);
  if (approved.kind === "known")
    return { ...change, diff: toLineChanges(toLines(approved.definition), toLines(definition)) };
  const folder = basename(approvedFolder(lockFile?.path ?? ""));
  const why =
    approved.kind === "missing"
      ? `What was approved is not in ${folder}`
      : `${approved.file} does not hold what was approved, and is ignored`;
  return {
    ...change,
    diff: toLineChanges([], toLines(definition, MAX_LINES)),
    remark: `${why}: this is the whole new definition.`,
  };
}

/** A server that is in the lock and would be started differently now, or that is missing while its tools are in it. */
export function isLaunchChanged({ name, launch }: Pick<ServerConfig, "name" | "launch">, lock: Lock | null): boolean {
  if (lock === null) return false;
  const pinned = lock.servers.get(name);
  return pinned === undefined ? hasPinnedTools(name, lock) : pinned.launch !== launch;
}

function hasPinnedTools(server: string, { tools }: Lock): boolean {
  return [...tools.keys()].some((identity) => identity.startsWith(`${server}/`));
}

/** The lock after a person accepted one change, otherwise unchanged. */
export function approve(
  lock: Lock,
  change: DefinitionChange,
  toolset: Listed,
  servers: ReadonlyMap<string, ServerConfig>,
): Lock {
  if (change.kind === "launch") {
    const server = servers.get(change.server);
    if (server === undefined) return lock;
    return { ...lock, servers: new Map([...lock.servers, [server.name, toPinnedServer(server)]]) };
  }
  const entry = toolset.catalog.entries.find(({ identity }) => `tool:${identity}` === change.id);
  if (entry === undefined) return lock;
  const server = servers.get(entry.tool.server ?? "");
  const isNew = server !== undefined && !lock.servers.has(server.name) && !hasPinnedTools(server.name, lock);
  return {
    servers: isNew ? new Map([...lock.servers, [server.name, toPinnedServer(server)]]) : lock.servers,
    tools: new Map([
      ...lock.tools,
      [entry.identity, { ...toPin(entry), approved: true, signals: liftable(entry).map(({ name }) => name) }],
    ]),
  };
}

/** Pins everything as it is now. What the scanner quarantines stays unapproved, to be reviewed one by one. */
export function buildLock(toolset: Listed, servers: ReadonlyMap<string, ServerConfig>, previous: Lock | null): Lock {
  const entries = toolset.catalog.entries.filter(({ tool }) => isUntrusted(tool));
  const listed = new Set(entries.map(({ tool }) => tool.server));
  // A server that could not be asked keeps its pins.
  const silent = [...(previous ?? NO_LOCK).tools].filter(([identity]) => {
    const [server = ""] = identity.split("/", 1);
    return servers.has(server) && !listed.has(server);
  });
  // A tool that is listed as pinned equals what was approved, so a lost text can be restored.
  const kept = (entry: Entry): PinnedTool | undefined => {
    const known = previous?.tools.get(entry.identity);
    if (known === undefined || !isAsPinned(known.signature, entry.tool)) return undefined;
    return { ...known, signature: toPinnedSignature(entry.tool), ...toText(entry) };
  };
  return {
    servers: new Map(
      [...servers.values()].flatMap((server) => {
        // A server that is switched off keeps its pins, and so how it was started.
        const pinned = server.enabled.value ? toPinnedServer(server) : previous?.servers.get(server.name);
        return pinned === undefined ? [] : [[server.name, pinned] as const];
      }),
    ),
    tools: new Map([
      ...silent,
      ...entries.map(
        (entry) =>
          [entry.identity, kept(entry) ?? { ...toPin(entry), approved: liftable(entry).length === 0 }] as const,
      ),
    ]),
  };
}

function toPinnedServer(server: ServerConfig) {
  return { launch: server.launch, spec: toLaunchSpec(server) };
}

function toPin(entry: Entry): PinnedTool {
  return { signature: toPinnedSignature(entry.tool), approved: true, signals: [], ...toText(entry) };
}

function toText({ tool }: Entry): Pick<PinnedTool, "text" | "definition"> {
  const definition = toPinnedDefinition(tool.original ?? tool);
  return { text: toApprovedText(definition).hash, definition };
}

/** What withholds a tool until somebody accepts it. Any approval accepts look-alikes, so they are named as well. */
function liftable(entry: Entry): readonly Signal[] {
  return scanEntry(entry).signals.filter(
    ({ name }) => SIGNALS[name] === "quarantine" || name === "confusable-name" || name === "name-collision",
  );
}

function toToolChange(entry: Entry, lock: Lock | null): DefinitionChange | null {
  if (!isUntrusted(entry.tool)) return null;
  const pinned = lock?.tools.get(entry.identity);
  const { signals } = scanEntry(entry);
  const isSame = pinned !== undefined && isAsPinned(pinned.signature, entry.tool);
  const open = liftable(entry).filter(({ name }) => !(isSame && pinned.approved && pinned.signals.includes(name)));
  const definition = toPinnedDefinition(entry.tool.original ?? entry.tool);
  const change = (kind: DefinitionChange["kind"], diff: readonly LineChange[]): DefinitionChange => ({
    id: `tool:${entry.identity}`,
    kind,
    server: entry.tool.server ?? entry.tool.owner?.name ?? "",
    tool: entry.identity,
    signals,
    diff,
    remark: null,
  });
  if (pinned !== undefined && !isSame) return change("changed", []);
  const whole = (): readonly LineChange[] => toLineChanges([], toLines(definition, MAX_LINES));
  if (open.length > 0 || pinned?.approved === false) return change("quarantined", whole());
  return lock !== null && pinned === undefined ? change("new", whole()) : null;
}

function toLaunchChange(server: ServerConfig, lock: Lock): DefinitionChange | null {
  if (!isLaunchChanged(server, lock)) return null;
  const pinned = lock.servers.get(server.name);
  const diff = toLineChanges(pinned === undefined ? [] : toSpecLines(pinned.spec), toSpecLines(toLaunchSpec(server)));
  return {
    id: `launch:${server.name}`,
    kind: "launch",
    server: server.name,
    tool: server.name,
    signals: [],
    remark: pinned === undefined ? GONE : null,
    diff:
      diff.length > 0 ? diff : [{ mark: "+", text: "a value of its environment, its headers or its folder differs" }],
  };
}

const GONE = "The lock has tools of this server, and not how it was started when they were approved.";

/** Nobody reads more of a schema at once. */
const MAX_LINES = 2_000;

/** One line per fact, hidden characters written out. */
function toLines(
  { title, description, inputSchema, outputSchema, claims, annotations }: PinnedDefinition,
  most = Number.POSITIVE_INFINITY,
): readonly string[] {
  return [
    ...(title === undefined ? [] : [`title: ${title}`]),
    ...description.split("\n").map((line, at) => (at === 0 ? `description: ${line}` : `  ${line}`)),
    ...toJsonLines("inputSchema", inputSchema, most),
    ...toJsonLines("outputSchema", outputSchema, most),
    ...toFacts("claims", claims),
    ...toFacts("annotation", annotations),
  ].map((line) => toVisibleText(line));
}

function toFacts(what: string, facts: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return Object.entries(facts)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${what} ${name}: ${JSON.stringify(value)}`);
}

function toJsonLines(name: string, value: unknown, most: number): readonly string[] {
  if (value === undefined || value === null) return [];
  const text = toStableText(value);
  const lines = `${name}: ${text}`.split("\n");
  return lines.length > most ? [...lines.slice(0, most), `… and ${lines.length - most} more lines`] : lines;
}

function toStableText(value: unknown): string {
  try {
    return JSON.stringify(
      value,
      (_key, member: unknown) =>
        isRecord(member)
          ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
          : member,
      2,
    );
  } catch {
    return "(too deep to be shown)";
  }
}

function toSpecLines({ type, command, args = [], env = [], url, headers = [] }: LaunchSpec): readonly string[] {
  return [
    `type: ${type}`,
    ...(command === undefined ? [] : [`command: ${command}`]),
    ...args.map((argument) => `argument: ${argument}`),
    ...env.map((name) => `variable: ${name}`),
    ...(url === undefined ? [] : [`url: ${url}`]),
    ...headers.map((name) => `header: ${name}`),
  ].map(toVisibleText);
}
