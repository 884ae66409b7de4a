import { rm } from "node:fs/promises";
import { keptFolder } from "../../../config/layers/state-folder.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { HOOK_CLIENTS } from "../../guard/hook-clients.ts";
import { type GuardFile, withoutParts } from "../../guard/write-parts.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { readOptionalFile } from "../configuration/edit-target.ts";
import {
  forgetChanges,
  readRecord,
  type Undone,
  undoChange,
  type WrittenFile,
} from "../configuration/written-files.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { GUARD_CLIENTS, readClients } from "./find-clients.ts";
import { checkWritable, findGuardTarget, type GuardTarget, planGuard } from "./guard-target.ts";
import { codexSettings, withoutTrust } from "./keep-trust.ts";
import { findLastingProgram } from "./lasting-program.ts";
import { compileFloors, readMachineDenials } from "./machine-policy.ts";

/** `toolcrib guard remove [CLIENTS]`: clients' files as they were before, or without our part where they have changed since. */
export async function runGuardRemove(input: CommandInput): Promise<number> {
  const target = await findGuardTarget(input);
  checkWritable(target);
  const named = readClients(input);
  const clients = named.length > 0 ? named : GUARD_CLIENTS;
  const program = findLastingProgram(input.io.env.PATH ?? "");
  const denials = target.side === "managed" ? await readMachineDenials(input, target) : [];
  const floors = compileFloors(clients, denials);
  const rows = await oneAtATime(target.record, async () => {
    const earlier = await readRecord(target.record);
    const outcomes = [];
    for (const file of planGuard(clients, target, { program, floors })) {
      if (file.client === null) continue;
      const became = await takeOut(file, earlier);
      outcomes.push({ client: file.client, file: file.path, became });
      if (file.client === "codex" && target.side === "user") await forgetTrust(file.path, earlier);
    }
    const done = outcomes.filter(({ became }) => became !== "kept").map(({ file }) => file);
    await forgetChanges(target.record, new Set(done.flatMap((file) => [file, codexSettings(file)])));
    await takeScript(target);
    return outcomes;
  });
  const left = rows.filter(({ became }) => became === "kept");
  printAnswer(input, { side: target.side, clients: rows }, () => {
    const lines = rows.flatMap((row) => describeRow(row, input));
    return writeLines(lines.length === 0 ? ["No client has the hook."] : lines);
  });
  return left.length === 0 ? 0 : 1;
}

type Became = keyof Undone | "absent";

/** Without a record, only our part goes. */
async function takeOut(file: GuardFile, earlier: readonly WrittenFile[]): Promise<Became> {
  const known = earlier.find(({ path }) => path === file.path);
  const now = await readOptionalFile(file.path);
  if (known === undefined && (now === null || !(await hasPart(now, file)))) return "absent";
  const change = known ?? { path: file.path, before: null, after: "" };
  return undoChange(change, (text, { before }) => withoutParts(text, before, file));
}

async function hasPart(text: string, file: GuardFile): Promise<boolean> {
  const without = await withoutParts(text, text, file);
  return without === null || without.text !== text;
}

/** Codex's trust in the hook goes with it. */
async function forgetTrust(file: string, earlier: readonly WrittenFile[]): Promise<void> {
  const known = earlier.find(({ path }) => path === codexSettings(file));
  if (known !== undefined) await undoChange(known, withoutTrust(file));
}

/** It goes with the last line that runs it. */
async function takeScript(target: GuardTarget): Promise<void> {
  const left = await readRecord(target.record);
  const [script] = left;
  if (left.length !== 1 || script === undefined || script.path !== target.script) return;
  await undoChange(script, async () => ({ text: null }));
  await forgetChanges(target.record, new Set([script.path]));
  // What hooks have kept is for those that come after them.
  if (target.side === "user") await rm(keptFolder(target.places), { recursive: true, force: true });
}

function describeRow(
  {
    client,
    file,
    became,
  }: { readonly client: keyof typeof HOOK_CLIENTS; readonly file: string; readonly became: Became },
  { io }: CommandInput,
): readonly string[] {
  const shown = shownFile(file, io);
  const { title } = HOOK_CLIENTS[client];
  switch (became) {
    case "absent":
      return [];
    case "restored":
      return [`Put back ${shown}; ${title} asks Toolcrib no longer.`];
    case "merged":
      return [`Took the hook of ${title} out of ${shown}; what has changed there since stays.`];
    case "kept":
      return [`${shown} has been changed since, so it stays as it is: take the hook of ${title} out by hand.`];
  }
}
