import type { Config } from "../../../config/config.ts";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { describePerson } from "../../../core/people/person.ts";
import { toReadNote } from "../../../runtime/audit/audit-desk.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import type { AuditNote, AuditRow } from "../../../runtime/audit/audit-row.ts";
import { auditScope, isGathered } from "../../../runtime/audit/audit-scope.ts";
import type { FoundBody } from "../../../runtime/audit/read-stored.ts";
import type { StoredVerdict } from "../../../runtime/audit/verify-stored.ts";
import { escapeText, toJson, writeLines } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { settingPlaces } from "../running/work-place.ts";
import { filterOf, limitOf, printRow, runFileAudit, sinceOf } from "../stored/audit-command.ts";
import { findWorkspaceStore, hasStore, openWorkspaceStore, type WorkspaceStore } from "../stored/own-store.ts";
import { countText } from "../terminal/name-list.ts";
import { byHere } from "./by-here.ts";
import { choosePerson } from "./choose-person.ts";
import { gatherHere, noteHere, type OwnGathered } from "./gathered-log.ts";

/** `toolcrib audit [FILE]`: the log of all machines where the store has it, else the file of this one. */
export async function runAudit(input: CommandInput): Promise<number> {
  const { args } = input;
  const wanted = (["bodies", "forget"] as const).find((option) => args.has(option));
  const isFile = args.operands.length > 0 || args.has("here") || args.has("follow");
  const kept = isFile ? null : await findGathered(input, wanted !== undefined);
  if (kept === null) {
    if (wanted === undefined) return runFileAudit(input);
    const text = isFile ? "it cannot be given with FILE, --here or --follow" : "this workspace has no such store";
    throw usage(`--${wanted} is about the log that the store has of all machines, and ${text}`);
  }
  const { store, close } = await openWorkspaceStore(kept);
  const place = { store, scope: auditScope(kept.config, kept.workspace) };
  const own = { input, kept, place, path: auditPath(settingPlaces(input.io), kept.workspace) };
  try {
    // What was written here since a gateway last ran counts too.
    await gatherHere(own);
    const name = args.value("forget");
    if (name !== null) return await forget(own, name);
    return await (args.has("verify") ? verify(own) : show(own));
  } finally {
    await close();
  }
}

/** A configuration that cannot be read is no reason not to read the log, unless it has to say more. */
async function findGathered(input: CommandInput, isNeeded: boolean): Promise<WorkspaceStore | null> {
  try {
    const kept = await findWorkspaceStore(input);
    return isGathered(kept.config) && hasStore(kept) ? kept : null;
  } catch (error) {
    if (isNeeded || !isToolcribError(error)) throw error;
    return null;
  }
}

async function show(own: OwnGathered): Promise<number> {
  const { input, place } = own;
  const { io, args } = input;
  const { readStored } = await import("../../../runtime/audit/read-stored.ts");
  const name = args.value("person");
  const person = name === null ? null : await principalOf(own, name);
  const since = sinceOf(input);
  const rows = await readStored(place, {
    ...{ filter: filterOf(input, person), limit: limitOf(input) },
    ...(person === null ? {} : { person }),
    ...(since === null ? {} : { since }),
  });
  const bodies = args.has("bodies") ? await readBodies(own, rows) : new Map<string, FoundBody>();
  for (const row of rows) {
    const body = "body" in row ? bodies.get(row.body ?? "") : undefined;
    if (body !== undefined && args.has("json")) io.out(toJson({ ...row, content: body }, false));
    else printRow(row, input);
    if (body !== undefined && !args.has("json")) io.out(`    ${escapeText(describeBody(body))}\n`);
  }
  if (rows.length === 0) io.err("no row matches\n");
  return 0;
}

/** Whom the log names so; people who have come in may be called by other names too. */
async function principalOf({ kept, place }: OwnGathered, name: string): Promise<string> {
  const { peopleScope } = await import("../../../runtime/people/people-scope.ts");
  const scope = peopleScope(kept.config);
  if (scope === null) return name;
  const { createPeopleRows } = await import("../../../runtime/people/people-rows.ts");
  const rows = createPeopleRows({ store: place.store, scope });
  try {
    const found = choosePerson(await rows.list(), name);
    return found === null ? name : describePerson(found.caller);
  } finally {
    rows.close();
  }
}

/** That somebody reads them is written down first. */
async function readBodies(own: OwnGathered, rows: readonly AuditRow[]): Promise<ReadonlyMap<string, FoundBody>> {
  const [{ findBodies }, { spoolFolder }] = await Promise.all([
    import("../../../runtime/audit/read-stored.ts"),
    import("../../../runtime/audit/body-spool.ts"),
  ]);
  const sealer = await sealerOf(own);
  await noteHere(own, toReadNote(rows, { by: byHere(), principal: null }));
  return findBodies(rows, { place: own.place, sealer, spool: spoolFolder(own.path) });
}

function describeBody(body: FoundBody): string {
  if (body === "gone") return "its body was deleted";
  if (body === "sealed") return "its body is sealed with a key that is not one of gateway.auth.keys here";
  if (body === "changed") return "its body is not what was written";
  const { arguments: given, reason, error } = body;
  return [JSON.stringify(given), ...(reason ? [reason] : []), ...(error ? [error] : [])].join("  ");
}

async function forget(own: OwnGathered, name: string): Promise<number> {
  const { input, kept, place } = own;
  const person = await principalOf(own, name);
  const held = kept.config.audit.hold.find((one) => one.person === person || one.person === "*");
  if (held !== undefined) {
    const { formatOrigin } = await import("../../../core/codes/origin.ts");
    const why = held.reason === null ? "" : `: ${held.reason}`;
    const text = `nothing of ${person} is deleted while audit.hold names ${held.person} (${formatOrigin(held.origin)})${why}`;
    throw new ToolcribError("audit.held", text, { names: [person], origin: held.origin });
  }
  if (!(await confirm(input, `Delete what calls of ${person} were about, on every machine, for good?`, [person])))
    return 1;
  const { forgetPerson } = await import("../../../runtime/audit/retention.ts");
  const notes: AuditNote[] = [];
  const count = await forgetPerson(place, person, { by: byHere(), note: (note) => void notes.push(note) });
  for (const note of notes) await noteHere(own, note);
  const bodies = countText(count, "body", "bodies");
  const text = `${bodies} of calls of ${person} deleted. Their rows stay, and "toolcrib audit --verify" says what is gone.`;
  printAnswer(input, { person, deleted: count }, () => writeLines([text]));
  return 0;
}

async function verify(own: OwnGathered): Promise<number> {
  const { verifyStored } = await import("../../../runtime/audit/verify-stored.ts");
  const sealer = await sealerOf(own).catch((error: unknown) => {
    // Without the key the chain can still be checked.
    if (!isToolcribError(error)) throw error;
    return null;
  });
  const verdict = await verifyStored(own.place, sealer);
  printAnswer(own.input, { ...verdict }, () => writeLines(describeVerdict(verdict)));
  return verdict.problems.length === 0 ? 0 : 1;
}

function describeVerdict({ rows, runs, open, problems, gone, bodies }: StoredVerdict): readonly string[] {
  const state = problems.length === 0 ? "as they were written" : countText(problems.length, "problem");
  const blank = Object.entries(gone).map(([kind, count]) => `${count} of ${kind}`);
  const parts = [
    `${bodies.kept} there`,
    ...(bodies.gone > 0 ? [`${bodies.gone} deleted`] : []),
    ...(bodies.sealed > 0 ? [`${bodies.sealed} sealed with a key that is not here`] : []),
    ...(bodies.waiting > 0 ? [`${bodies.waiting} on their way to the store`] : []),
  ];
  return [
    ...problems.map(({ text }) => text),
    `${countText(rows, "row")} of ${countText(runs, "run")} of all machines: ${state}`,
    ...(blank.length === 0 ? [] : [`rows whose content was deleted, as rows of the log say: ${blank.join(", ")}`]),
    `bodies of calls: ${parts.join(", ")}`,
    ...(open === 0 ? [] : [`${countText(open, "run")} without an end: still going on, or killed`]),
  ];
}

async function sealerOf({ input, kept }: OwnGathered) {
  const { loadAuditSealer } = await import("../../../runtime/audit/kept-bodies.ts");
  const config: Config = kept.config;
  return loadAuditSealer(config, stateFolder(settingPlaces(input.io)));
}
