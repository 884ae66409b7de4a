import type { Config } from "../../../config/config.ts";
import { trustFindings } from "../../../config/load-config.ts";
import { findDamaged } from "../../../config/lock/approved-folder.ts";
import {
  approve,
  buildLock,
  type DefinitionChange,
  isLaunchChanged,
  type Listed,
  listChanges,
  listLaunches,
} from "../../../config/lock/changes.ts";
import { type Lock, type LockFile, lockAfter, NO_LOCK } from "../../../config/lock/lock.ts";
import { loadLock, saveLock } from "../../../config/lock/lock-file.ts";
import { serversOf } from "../../../config/servers-of.ts";
import { waitingItems } from "../../../config/trust/trust.ts";
import { describeItem, type TrustItem } from "../../../config/trust/trust-items.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import { isServer } from "../../../sources/source.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { escapeText, toJson, writeLines } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { NO_OVERRIDES } from "../command-line/overrides.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { withSession } from "../servers/live-session.ts";
import { countText } from "../terminal/name-list.ts";
import { formatChange } from "./pin-text.ts";

/** `toolcrib pin`: what was approved of servers and their tools, kept in `toolcrib.lock`. */
export async function runPin(input: CommandInput): Promise<number> {
  const { args } = input;
  const wanted = args.value("approve");
  if (wanted !== null && args.has("check")) throw usage("--check and --approve do not go together");
  const config = await loadAsked(input, NO_OVERRIDES);
  const held = config.lock;
  if (held === null) throw new Error("a configuration of files has a place for its lock");
  const waiting = waitingItems(config.trust);
  if (waiting.length > 0) throw untrusted(waiting);
  if (args.has("check")) return checkPins(input, config, held);
  return wanted === null ? writePins(input, config, held) : approveOne(input, config, held, wanted);
}

/** What is left out cannot be looked at: a check would find nothing wrong, and a new lock would forget it. */
function untrusted(items: readonly TrustItem[]): ToolcribError {
  const listed = items.map((item) => `${describeItem(item)} (${formatOrigin(item.origin)})`).join(", ");
  const text = `nothing can be pinned or checked while the workspace is not trusted with ${listed}; "toolcrib trust" shows it, and asks`;
  return new ToolcribError("pin.untrusted", text, { names: items.map(({ name }) => name) });
}

/** What a look at the running servers gave. */
interface Look {
  readonly toolset: Toolset;
  readonly changes: readonly DefinitionChange[];
  /** Servers that could not be asked, each with the reason. */
  readonly silent: readonly { readonly name: string; readonly reason: string }[];
}

/** Servers whose entry changed since they were pinned are not started, unless somebody just accepted that. */
async function look(input: CommandInput, config: Config, held: LockFile): Promise<Look> {
  return withSession(input, config, async ({ session }) => ({
    toolset: session.toolset,
    changes: await listChanges(session.toolset, serversOf(config), held),
    silent: findSilent(session, config, held.lock),
  }));
}

function findSilent({ sources }: OpenSession, config: Config, lock: Lock | null): Look["silent"] {
  const servers = serversOf(config);
  return sources.flatMap(({ kind, name, status }) => {
    const server = servers.get(name);
    if (!isServer({ kind }) || server === undefined || !server.enabled.value || isLaunchChanged(server, lock))
      return [];
    return status.state === "connected" ? [] : [{ name, reason: status.reason ?? status.state }];
  });
}

/** Everything as it is now; what differs from an earlier lock is shown first. */
async function writePins(input: CommandInput, config: Config, held: LockFile): Promise<number> {
  const { io, args } = input;
  const servers = serversOf(config);
  const launches = [...servers.values()].filter((server) => isLaunchChanged(server, held.lock));
  let accepted: Lock | null = held.lock;
  if (held.lock !== null && launches.length > 0) {
    // They have to be accepted before they are started, not after.
    const changes = listLaunches(serversOf(config), held.lock);
    show(input, changes);
    if (!(await confirm(input, `Start ${changes.map(({ server }) => server).join(", ")} like that?`))) return 1;
    const nothing = { catalog: { entries: [] } };
    accepted = changes.reduce((lock, change) => approve(lock, change, nothing, servers), held.lock);
  }
  const now = { ...held, lock: accepted };
  const { toolset, changes, silent } = await look(input, { ...config, lock: now }, now);
  if (held.lock !== null && changes.length > 0) {
    show(input, changes);
    if (!(await confirm(input, "Pin all of it as it is now?"))) return 1;
  }
  const lock = await changeLock(held, input, (known) => buildLock(toolset, servers, known));
  const waiting = await listChanges(toolset, servers, { ...held, lock });
  const sizes = { servers: lock.servers.size, tools: lock.tools.size };
  if (args.has("json")) {
    io.out(toJson({ file: held.path, ...sizes, waiting: waiting.map(toDocument), silent }, io.isTTY));
    return 0;
  }
  if (held.lock === null) show(input, waiting);
  io.out(
    `${escapeText(held.file)} pins ${countText(lock.tools.size, "tool")} of ${countText(lock.servers.size, "server")}.\n`,
  );
  io.out(writeLines(silent.map(({ name, reason }) => `${name} could not be asked: ${reason}`)));
  if (held.lock === null) io.out("From now on only what is in it may be used; a new or changed tool waits for you.\n");
  const many = countText(waiting.length, "tool waits", "tools wait");
  if (waiting.length > 0) io.out(`${many} for \`toolcrib pin --approve TOOL\`.\n`);
  return 0;
}

/** Nothing is listed yet; how servers are started is known without asking them. */
const EMPTY: Listed = { catalog: { entries: [] } };

const DAMAGED = "does not hold what was approved, and is ignored; toolcrib pin writes it again";

/** For scripts: says what differs, and writes nothing. */
async function checkPins(input: CommandInput, config: Config, held: LockFile): Promise<number> {
  const { io, args } = input;
  if (held.lock === null)
    throw new ToolcribError(
      "pin.unknown",
      `there is no ${held.file} to check against; write one with \`toolcrib pin\``,
      { names: [held.path] },
    );
  const { changes, silent } = await look(input, config, held);
  const damaged = await findDamaged(held.path, held.lock);
  const fine = changes.length === 0 && silent.length === 0 && damaged.length === 0;
  if (args.has("json"))
    io.out(toJson({ file: held.path, fine, changes: changes.map(toDocument), silent, damaged }, io.isTTY));
  else {
    show(input, changes);
    io.out(writeLines(silent.map(({ name, reason }) => `${name} could not be asked: ${reason}`)));
    io.out(writeLines(damaged.map((file) => `${file} ${DAMAGED}`)));
    const differing = countText(changes.length + silent.length + damaged.length, "thing differs", "things differ");
    io.out(fine ? "Everything is as it was pinned.\n" : `${differing} from ${escapeText(held.file)}.\n`);
  }
  return fine ? 0 : 1;
}

/** One change, after a look at it. */
async function approveOne(input: CommandInput, config: Config, held: LockFile, wanted: string): Promise<number> {
  const { args } = input;
  const servers = serversOf(config);
  const launch = listLaunches(servers, held.lock).find(({ server }) => server === wanted);
  // Who accepts how a server is started has not seen its tools yet: it is not started for that.
  const seen = launch === undefined ? await look(input, config, held) : null;
  const toolset: Listed = seen?.toolset ?? EMPTY;
  const change = launch ?? findChange(wanted, seen);
  const none = (): Lock => (seen === null ? NO_LOCK : buildLock(seen.toolset, servers, null));
  const isPinned = toolset.catalog.entries.some(({ identity }) => identity === change.tool);
  if (change.kind !== "launch" && !isPinned) throw new Error("a change of a tool is about a tool that is listed");
  if (!args.has("json")) show(input, [change]);
  if (!(await confirm(input, `Approve ${change.tool}?`))) return 1;
  await changeLock(held, input, (known) => approve(known ?? none(), change, toolset, servers));
  await trustFindings(toConfigInput(input), change.tool);
  printAnswer(input, { file: held.path, approved: toDocument(change) }, () =>
    writeLines([`${change.tool} is approved as it is now (${held.file}).`]),
  );
  return 0;
}

/** On top of the file as it is then: while servers started or a person read, something else may have been approved. */
async function changeLock(held: LockFile, { io }: CommandInput, change: (known: Lock | null) => Lock): Promise<Lock> {
  return oneAtATime(held.path, async () => {
    const known = await loadLock(held.path, io.cwd);
    const lock = change(lockAfter(known, held.lock) ?? held.lock);
    await saveLock(held, lock);
    return lock;
  });
}

function findChange(wanted: string, seen: Look | null): DefinitionChange {
  const changes = seen?.changes ?? [];
  const meant = seen?.toolset.scene.resolver.resolve(wanted);
  const identities = meant?.kind === "found" ? meant.meaning.entries.map(({ identity }) => identity) : [wanted];
  const found = changes.filter(({ tool }) => identities.includes(tool));
  const [one] = found;
  if (one !== undefined && found.length === 1) return one;
  const names = (found.length > 1 ? found : changes).map(({ tool }) => tool);
  const waiting = names.length === 0 ? "nothing waits to be approved" : `what waits: ${names.slice(0, 10).join(", ")}`;
  const text =
    found.length > 1
      ? `${JSON.stringify(wanted)} means several tools; approve them one by one`
      : `${JSON.stringify(wanted)} does not wait to be approved`;
  throw new ToolcribError("pin.unknown", `${text} (${waiting})`, { names });
}

function show({ io, args }: CommandInput, changes: readonly DefinitionChange[]): void {
  if (!args.has("json")) for (const change of changes) io.out(`${formatChange(change)}\n`);
}

function toDocument({ id, kind, server, tool, signals, diff, remark }: DefinitionChange): object {
  const why = remark === null ? {} : { remark };
  return { id, kind, server, tool, signals, ...why, diff: diff.map(({ mark, text }) => `${mark} ${text}`) };
}
