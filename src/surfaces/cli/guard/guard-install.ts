import { statSync } from "node:fs";
import { readForeign } from "../../../config/import/read-foreign.ts";
import { blankExtras } from "../../../config/layers/blank-extras.ts";
import { checkJson } from "../../../config/layers/parse-document.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { HOOK_CLIENTS } from "../../guard/hook-clients.ts";
import { type GuardFile, NoPlace, withParts } from "../../guard/write-parts.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { readOptionalFile } from "../configuration/edit-target.ts";
import { applyChanges, type WrittenFile } from "../configuration/written-files.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { type FoundClient, findClients, GUARD_CLIENTS, lookForClient, readClients } from "./find-clients.ts";
import { findGuardTarget, type GuardTarget, planGuard } from "./guard-target.ts";
import { type CodexTrust, trustAtCodex } from "./keep-trust.ts";
import { findLastingProgram } from "./lasting-program.ts";

/** `toolcrib guard install [CLIENTS]`: makes clients ask before they run a tool. */
export async function runGuardInstall(input: CommandInput): Promise<number> {
  const { io } = input;
  const target = await findGuardTarget(input);
  checkOwner(target);
  const found = chooseClients(input, target);
  const program = findLastingProgram(io.env.PATH ?? "");
  const clients = found.map(({ client }) => client);
  const { changes, files } = await applyChanges(target.record, async () => {
    const files = planGuard(clients, target, program);
    return { files, changes: await planChanges(files, input) };
  });
  const trust = await trustAtCodex(input, target, found);
  const changed = new Set(changes.map(({ path }) => path));
  const rows = found.map(({ client, program: where, folder }) => {
    const path = files.find((file) => file.client === client)?.path ?? null;
    return { client, program: where, folder, file: path, changed: path !== null && changed.has(path) };
  });
  printAnswer(input, { side: target.side, clients: rows, codex: trust }, () =>
    writeLines([...rows.map((row) => describeRow(row, input)), ...describeTrust(trust)]),
  );
  return 0;
}

interface InstalledRow extends FoundClient {
  readonly file: string | null;
  readonly changed: boolean;
}

function describeRow({ client, program, folder, file, changed }: InstalledRow, { io }: CommandInput): string {
  const { title } = HOOK_CLIENTS[client];
  const why = program ?? folder;
  const by = why === null ? "" : ` (found ${shownFile(why, io)})`;
  if (file === null) return `${title}${by} has no file for this.`;
  const shown = shownFile(file, io);
  return changed ? `Wrote the hook of ${title}${by} into ${shown}.` : `${shown} has the hook of ${title}${by} already.`;
}

/** Those that are named, else those of this machine. */
function chooseClients(input: CommandInput, { side, places }: GuardTarget): readonly FoundClient[] {
  const clients = readClients(input);
  if (clients.length > 0) return clients.map((client) => lookForClient(client, places));
  // A client that somebody installs tomorrow is meant too.
  if (side === "managed") return GUARD_CLIENTS.map((client) => lookForClient(client, places));
  const found = findClients(places);
  if (found.length === 0)
    throw usage(`no client was found here, by its folder or its program; name one of ${GUARD_CLIENTS.join(", ")}`);
  return found;
}

/** What root writes into another person's folder, that person could not change any more. */
function checkOwner({ side, places }: GuardTarget): void {
  const user = process.getuid?.();
  if (side !== "user" || user === undefined) return;
  const owner = statSync(places.home, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || owner === user) return;
  const text = `${places.home} belongs to another user (${owner}; this is ${user}), so nothing was written; run it as that user, or for the whole machine with --managed`;
  throw new ToolcribError("file.not-written", text, { names: [places.home] });
}

async function planChanges(files: readonly GuardFile[], input: CommandInput): Promise<readonly WrittenFile[]> {
  const changes: WrittenFile[] = [];
  for (const file of files) {
    const before = await readOptionalFile(file.path);
    const after = await withParts(before, file).catch(async (error: unknown) => {
      throw error instanceof NoPlace ? await refusal(file, before ?? "", error, input) : error;
    });
    const [mode] = file.parts.flatMap((part) => (part.kind === "text" ? [part.mode] : []));
    if (after !== before) changes.push({ path: file.path, before, after, ...(mode === undefined ? {} : { mode }) });
  }
  return changes;
}

/** A file that cannot be read, with its line, or one that says something else where the hook belongs. */
async function refusal({ path, parts }: GuardFile, text: string, { keys }: NoPlace, { io }: CommandInput) {
  const shown = shownFile(path, io);
  if (keys.length === 0) {
    const found = `${shown} is there already and was not written by Toolcrib, so nothing was written`;
    return new ToolcribError("file.exists", `${found}; move it away, or name other clients`, { names: [shown] });
  }
  const problem = await findMistake(text, shown);
  const why = problem ?? `${shown} cannot be changed, because "${keys.join(".")}" is written there in another form`;
  const part = parts.find((one) => one.kind !== "text" && one.keys.join(".") === keys.join("."));
  const wanted = part?.kind === "item" ? part.item : part?.kind === "value" ? part.value : null;
  const advice = `nothing was written. Mend it, or put this under "${keys.join(".")}" yourself: ${JSON.stringify(wanted)}`;
  return new ToolcribError("config.syntax", `${why}; ${advice}`, { names: [shown] });
}

/** Null if the file can be read. */
async function findMistake(text: string, shown: string): Promise<string | null> {
  try {
    if (shown.endsWith(".toml")) await readForeign(text, shown);
    else checkJson(blankExtras(text), shown);
    return null;
  } catch (error) {
    if (isToolcribError(error)) return error.message;
    throw error;
  }
}

function describeTrust(trust: CodexTrust | null): readonly string[] {
  if (trust === null) return [];
  if (trust.isTrusted) return ["Codex trusts it."];
  return [
    `Codex does not trust it yet (${trust.why}): it asks once in a terminal, and until you agree, codex exec skips it and says nothing.`,
  ];
}
