import { resolve } from "node:path";
import type { Config } from "../../../config/config.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { type AuditLog, openAuditLog } from "../../../runtime/audit/audit-log.ts";
import { type AuditOutlets, openOutlets } from "../../../runtime/audit/audit-outlets.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import { auditScope, bodiesOf } from "../../../runtime/audit/audit-scope.ts";
import { openBodies } from "../../../runtime/audit/kept-bodies.ts";
import { createListKeeper, folderOfLists, type ListKeeper, sharedLists } from "../../../runtime/audit/kept-lists.ts";
import { noteHeldTools } from "../../../runtime/audit/note-held-tools.ts";
import { createRedactor, type Redactor, secretsOf } from "../../../runtime/audit/redact-value.ts";
import { refuseUnwritten } from "../../../runtime/audit/session-audit.ts";
import type { Crib, CribView } from "../../../runtime/crib/crib.ts";
import { type CribOptions, openCrib } from "../../../runtime/crib/open-crib.ts";
import type { SharedPlace } from "../../../runtime/crib/shared-approvals.ts";
import { pruneDaily } from "../../../runtime/store/prune-daily.ts";
import { escapeLines } from "../../../system/text/escape-text.ts";
import { readVersion } from "../../../system/version.ts";
import type { CommandInput } from "../command-line/command.ts";
import { watchFiles } from "../configuration/watch-files.ts";
import { findWorkspace } from "../running/find-running.ts";
import { refuseWithoutAudit, toldOf } from "../stored/own-audit.ts";
import { type LaterVariables, withLater } from "./later-variables.ts";
import { type FoundConfig, findConfig } from "./up-config.ts";
import { openUpstreamOf, type UpstreamFront } from "./upstream-front.ts";

/** A crib with its log, as `up` and `serve` run it. */
export interface RunningCrib {
  readonly crib: Crib;
  readonly audit: AuditLog;
  /** Where rows go besides their file; null: nowhere. */
  readonly outlets: AuditOutlets | null;
  readonly found: FoundConfig;
  readonly workspace: string;
  readonly shared: SharedPlace | null;
  /** What it keeps secret for people; null where nobody logs in. */
  readonly upstream: UpstreamFront | null;
  readonly later: LaterVariables;
  /** Called with a configuration that is about to be taken over; may refuse it by throwing. */
  onReloading: (found: FoundConfig) => Reloading;
  /** Takes over changed files from now on; told what came of it. */
  follow(onReload: (reload: Reload) => void): void;
  close(): Promise<void>;
}

interface Reloading {
  readonly undo: () => void;
  /** What of it does not count yet, and when it will. */
  readonly notYet: readonly string[];
}

type Reload =
  | { readonly kind: "done"; readonly found: FoundConfig; readonly summary: string }
  | { readonly kind: "refused"; readonly text: string };

export interface RunningOptions {
  readonly isWatched: (config: Config) => boolean;
  readonly watch?: (view: CribView) => void;
  /** Refuses, by throwing, a configuration for which nothing may be started or written. */
  readonly check?: (config: Config) => Promise<void>;
  /** Where clients' sessions outlive this process; nowhere if absent. */
  readonly share?: (config: Config, workspace: string) => Promise<SharedPlace | null>;
}

/** The log of calls, which managed policy may require. */
async function openLog(input: CommandInput, config: Config, workspace: string): Promise<AuditLog> {
  const { io, args } = input;
  const { policy } = config;
  refuseWithoutAudit(input, policy);
  const file = args.value("audit");
  const person = { home: homeFolder(io.env), env: io.env };
  const kept = file === null ? auditPath(person, workspace) : resolve(io.cwd, file);
  const path = args.has("no-audit") ? null : kept;
  const place = { config, scope: auditScope(config, workspace), path: kept, folder: stateFolder(person) };
  const bodies = await openBodies(place);
  return openAuditLog({
    path,
    // What must be sealed has no place in memory either.
    ...(bodies === undefined ? {} : { bodies: path === null ? "none" : bodies }),
    isRequired: policy.audit.value === "required",
    ...toldOf(input),
  }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    const text = `the log of calls cannot be written (${why}); name another file with --audit, or --no-audit`;
    throw new ToolcribError("file.not-written", text, { names: [kept] });
  });
}

type Closing = Pick<AuditOutlets, "close"> | null | undefined;

async function closeAll(parts: readonly Closing[], why: unknown): Promise<never> {
  for (const part of parts) await part?.close();
  throw why;
}

function openOutletsOf(
  input: CommandInput,
  {
    shared,
    workspace,
    ...parts
  }: Pick<RunningCrib, "audit" | "shared" | "workspace"> & { readonly config: () => Config },
): Promise<AuditOutlets | null> {
  const { io, args } = input;
  return openOutlets({
    ...{ ...parts, env: io.env, version: readVersion(), ...toldOf(input) },
    place: shared && { store: shared.store, scope: auditScope(parts.config(), workspace) },
    write: args.has("stdio") ? null : async (text) => io.out(text),
  });
}

/** The lists under which calls are made, so that the calls can be rehearsed. */
function keepLists(
  { audit, shared, workspace }: Pick<RunningCrib, "audit" | "shared" | "workspace">,
  config: Config,
  { failed }: CommandInput["log"],
): ListKeeper | null {
  if (audit.path === null) return null;
  const values = shared === null ? null : sharedLists(shared.store, auditScope(config, workspace));
  return createListKeeper({ folder: folderOfLists(audit.path), values, onError: failed });
}

/** A client may send to one server what only another one should know. */
function hiding(wire: CommandInput["log"]["wire"], config: () => Config): CommandInput["log"]["wire"] {
  if (wire === undefined) return undefined;
  let known: { readonly of: Config; readonly redactor: Redactor } | null = null;
  return (text) => {
    const of = config();
    if (known?.of !== of) known = { of, redactor: createRedactor(secretsOf(of)) };
    wire(known.redactor.text(text));
  };
}

/** What of clients' calls has a row of its own. */
function toRows({ note }: Pick<AuditLog, "note">): Pick<CribOptions, "onRefusedAnswer" | "onLimitPassed"> {
  return {
    onRefusedAnswer: (refused) => note({ type: "approval.refused", ...refused }),
    onLimitPassed: (text, principal) => note({ type: "limit.passed", text, principal }),
  };
}

export async function startCrib(given: CommandInput, options: RunningOptions): Promise<RunningCrib> {
  const { input, toLater } = withLater(given);
  const { io, log } = input;
  const first = await findConfig(input);
  await options.check?.(first.config);
  const workspace = await findWorkspace(input);
  const audit = await openLog(input, first.config, workspace);
  audit.hide(first.config);
  const refuse = refuseUnwritten(audit);
  const shared = (await options.share?.(first.config, workspace)) ?? null;
  let found = first;
  let outlets: AuditOutlets | null = null;
  let upstream: UpstreamFront | null = null;
  const giveUp = (error: unknown): Promise<never> => closeAll([upstream, audit, outlets, shared?.store], error);
  outlets = await openOutletsOf(input, { audit, shared, workspace, config: () => found.config }).catch(giveUp);
  upstream = await openUpstreamOf(input, shared, () => found.config).catch(giveUp);
  let stopWatching = (): void => {};
  const lists = keepLists({ audit, shared, workspace }, first.config, log);
  const crib: Crib = await openCrib(first.config, {
    ...{ version: readVersion(), cwd: workspace, home: homeFolder(io.env), env: io.env, workspace },
    logger: { error: log.failed, debug: log.debug, wire: hiding(log.wire, () => found.config) },
    isWatched: options.isWatched,
    ...toRows(audit),
    beforeRun: () => (crib.config.policy.audit.value === "required" ? refuse() : null),
    ...(shared === null ? {} : { shared }),
    ...(upstream === null ? {} : { credentials: upstream.credentials, askLogin: upstream.logins.asker }),
    watch(view) {
      audit.watch(view);
      lists?.watch(view.session);
      options.watch?.(view);
    },
  }).catch(giveUp);
  const keep = (): number => crib.config.store.keep.value;
  const stopPruning = shared === null ? () => {} : pruneDaily(shared.store, { keep, project: workspace });
  noteHeldTools({ toolset: () => crib.main.toolset, on: crib.main.on }, audit);

  const running: RunningCrib = {
    ...{ crib, audit, outlets },
    onReloading: () => ({ undo: () => {}, notYet: [] }),
    get found() {
      return found;
    },
    ...{ workspace, shared, upstream },
    later: toLater(async (changed) => {
      ({ next: found } = await takeOver(await findConfig(input), running));
      audit.note({ type: "config.reloaded", text: `variables set: ${changed.join(", ")}` });
    }),
    follow(onReload) {
      const use = (next: FoundConfig): void => {
        found = next;
      };
      stopWatching = watchFiles(found.watched, () => reload(input, running, use, onReload), log.failed);
    },
    async close() {
      stopWatching();
      stopPruning();
      await crib.close();
      await upstream?.close();
      await lists?.flush();
      await audit.close();
      await outlets?.close();
    },
  };
  return running;
}

/** Looks at the files again; returns which ones there are now. */
async function reload(
  input: CommandInput,
  running: RunningCrib,
  use: (found: FoundConfig) => void,
  onReload: (reload: Reload) => void,
): Promise<readonly string[]> {
  const { crib, audit, found } = running;
  try {
    const read = await findConfig(input);
    if (read.digest === found.digest) {
      // A person who repaired a file wants to know that it worked.
      if (crib.refused !== null) onReload({ kind: "done", found, summary: "it is as it was before" });
      crib.noteRefused(null);
      return read.watched;
    }
    const { next, summary } = await takeOver(read, running);
    use(next);
    if (summary === null) return next.watched;
    audit.note({ type: "config.reloaded", text: summary });
    onReload({ kind: "done", found: next, summary });
    return next.watched;
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    crib.noteRefused(error.message);
    audit.note({ type: "config.refused", text: error.message });
    onReload({ kind: "refused", text: error.message });
    return found.watched;
  }
}

/** The configuration as it is now in use, and what that changed; null where nothing did. */
async function takeOver(read: FoundConfig, { crib, audit, found, onReloading }: RunningCrib) {
  const next = keepLock(read, crib.config);
  const pins = describePins(crib.config, next.config, read.config);
  const { undo, notYet } = onReloading(next);
  const later = [...notYet, ...describeAudit(crib.config, next.config)];
  const before = countTools(crib);
  await crib.reconfigure(next.config).catch((error: unknown) => {
    undo();
    throw error;
  });
  audit.hide(next.config);
  return { next, summary: describeChange(found, next, [...pins, ...later], { before, now: countTools(crib) }) };
}

/** Where rows go is settled when the log is opened. */
function describeAudit(before: Config, after: Config): readonly string[] {
  const text = (config: Config): string => JSON.stringify([bodiesOf(config), config.audit.export], toPlain);
  return text(before) === text(after) ? [] : ["audit.bodies and audit.export count after a restart"];
}

function countTools({ main }: Crib): number {
  return main.toolset.placements.filter(({ standing }) => standing !== "hidden").length;
}

/** A lock that vanishes, be it for a moment or for good, approves nothing: what it pinned counts until a restart. */
function keepLock(next: FoundConfig, { lock }: Config): FoundConfig {
  const found = next.config.lock;
  const isGone = (lock?.lock ?? null) !== null && ((found?.lock ?? null) === null || found?.isGone === true);
  return isGone ? { ...next, config: { ...next.config, lock } } : next;
}

function describePins(before: Config, after: Config, read: Config): readonly string[] {
  if (after.lock !== read.lock) return ["toolcrib.lock is gone, and what it pinned counts until a restart"];
  const text = ({ lock }: Config): string => JSON.stringify(lock?.lock ?? null, toPlain);
  return text(before) === text(after) ? [] : ["approvals changed"];
}

/** Null when nothing of it can be noticed. */
function describeChange(
  before: FoundConfig,
  after: FoundConfig,
  notYet: readonly string[],
  tools: { readonly before: number; readonly now: number },
): string | null {
  const [had, has] = [before.config.servers, after.config.servers];
  const parts = [
    ...[...has.keys()].filter((name) => !had.has(name)).map((name) => `server ${name} added`),
    ...[...had.keys()].filter((name) => !has.has(name)).map((name) => `server ${name} removed`),
    ...[...has].flatMap(([name, server]) => {
      const old = had.get(name);
      return old === undefined || old.launch === server.launch ? [] : [`server ${name} changed`];
    }),
    ...(tools.before === tools.now ? [] : [`${tools.before} tools before, ${tools.now} now`]),
    ...notYet,
  ];
  if (parts.length > 0) return parts.join("; ");
  const text = ({ config: { written, trust, notices } }: FoundConfig): string =>
    JSON.stringify([written, trust.state, notices], toPlain);
  return text(before) === text(after) ? null : "settings changed";
}

/** Maps have no form in JSON, and where a value stands is no part of what it says. */
function toPlain(key: string, value: unknown): unknown {
  if (key === "origin") return undefined;
  return value instanceof Map ? [...value] : value;
}

/** Takes over changed configuration and says what came of it, with what is odd about it and was not before. */
export function followReloads(running: RunningCrib, { io, log }: CommandInput): void {
  let known = new Set(running.found.config.notices.map(toKey));
  running.follow((reload) => {
    const text =
      reload.kind === "done"
        ? `Configuration reloaded: ${reload.summary}.`
        : `The configuration cannot be used, so the previous one stays: ${reload.text}`;
    io.err(`${escapeLines(text)}\n`);
    if (reload.kind !== "done") return;
    const { notices } = reload.found.config;
    log.notices(notices.filter((notice) => !known.has(toKey(notice))));
    known = new Set(notices.map(toKey));
  });
}

function toKey({ code, text }: Notice): string {
  return `${code} ${text}`;
}
