import { readForeign } from "../../../config/import/read-foreign.ts";
import { blankExtras } from "../../../config/layers/blank-extras.ts";
import { checkJson } from "../../../config/layers/parse-document.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { CLIENT_LIMITS } from "../../guard/client-limits.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { whyUnread } from "../../guard/unread-form.ts";
import { type GuardFile, NoPlace, withParts } from "../../guard/write-parts.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { readOptionalFile } from "../configuration/edit-target.ts";
import {
  applyChanges,
  forgetChanges,
  readRecord,
  undoChange,
  type WrittenFile,
} from "../configuration/written-files.ts";
import { countText } from "../terminal/name-list.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { countRules, describeNoRules } from "./count-rules.ts";
import { type FoundClient, findClients, GUARD_CLIENTS, lookForClient, readClients } from "./find-clients.ts";
import { checkWritable, findGuardTarget, type GuardTarget, planGuard } from "./guard-target.ts";
import { type CodexTrust, trustAtCodex } from "./keep-trust.ts";
import { findLastingProgram } from "./lasting-program.ts";
import { checkMachine, compileFloors, readMachineDenials } from "./machine-policy.ts";
import { hasPlugin } from "./plugin-files.ts";
import { describeToolHooks, planToolHooks } from "./through-gateway.ts";

/** `toolcrib guard install [CLIENTS]`: makes clients ask before they run a tool. */
export async function runGuardInstall(input: CommandInput): Promise<number> {
  const { io } = input;
  const target = await findGuardTarget(input);
  checkWritable(target);
  const found = chooseClients(input, target);
  const program = findLastingProgram(io.env.PATH ?? "");
  const clients = found.map(({ client }) => client);
  const isManaged = target.side === "managed";
  const cautions = isManaged ? checkMachine(target, program) : [];
  const denials = isManaged ? await readMachineDenials(input, target) : [];
  const floors = compileFloors(clients, denials);
  const toolHooks = await planToolHooks(input, target, clients);
  const plan = async () => {
    const files = planGuard(clients, target, { program, floors, toolHooks });
    return { files, changes: await planChanges(files, input, target.record) };
  };
  const { changes, files } = await applyChanges(target.record, plan, isManaged ? 0o755 : 0o700);
  const trust = await trustAtCodex(input, target, found);
  const warnings = [...cautions, ...(await findUnread(files, input)), ...(await findPlugins(clients, target))];
  const changed = new Set(changes.map(({ path }) => path));
  const rows = found.map(({ client, program: where, folder }) => {
    const own = files.flatMap((file) => (file.client === client && file.parts.length > 0 ? [file.path] : []));
    const left = floors.get(client)?.left ?? null;
    return { client, program: where, folder, files: own, changed: own.some((path) => changed.has(path)), left };
  });
  const rules = isManaged ? null : await countRules(input);
  printAnswer(input, { side: target.side, clients: rows, codex: trust, denials, warnings, rules }, () =>
    writeLines([
      ...rows.map((row) => describeRow(row, input)),
      ...describeTrust(trust),
      ...describeToolHooks(toolHooks),
      ...(isManaged ? describeFloors(rows, denials) : []),
      ...(target.side === "project" ? describeProject(clients) : []),
      ...warnings,
      ...describeNoRules(rules, input),
    ]),
  );
  return 0;
}

/** Clients with a plugin of ours, whose hook does the same. */
async function findPlugins(
  clients: readonly HookClientName[],
  { side, places }: GuardTarget,
): Promise<readonly string[]> {
  if (side === "managed") return [];
  const found = await Promise.all(
    clients.map(async (client) => {
      const { title, products } = HOOK_CLIENTS[client];
      const there = await hasPlugin(products, { ...places, cwd: places.workspace });
      return there
        ? [`${title} has the hook of Toolcrib's plugin too, so each call is judged twice: keep one of them.`]
        : [];
    }),
  );
  return found.flat();
}

/** Files that their clients do not read as they stand: the person has to mend those. */
async function findUnread(files: readonly GuardFile[], { io }: CommandInput): Promise<readonly string[]> {
  const found = await Promise.all(
    files.map(async ({ client, path, parts }) => {
      const text =
        client === null || parts.length === 0 || !path.endsWith(".json") ? null : await readOptionalFile(path);
      const why = client === null || text === null ? null : whyUnread(client, text);
      return why === null
        ? []
        : [`${shownFile(path, io)}: ${why}, so its hook does not run: take that out of the file.`];
    }),
  );
  return found.flat();
}

interface InstalledRow extends FoundClient {
  /** None where the client has no file on this side. */
  readonly files: readonly string[];
  readonly changed: boolean;
  /** Deny rules of the machine that the client's own language does not say; null where it has none that was tried. */
  readonly left: readonly string[] | null;
}

function describeRow({ client, program, folder, files, changed }: InstalledRow, { io }: CommandInput): string {
  const { title } = HOOK_CLIENTS[client];
  const why = program ?? folder;
  const by = why === null ? "" : ` (found ${shownFile(why, io)})`;
  if (files.length === 0) return `${title}${by} has no file for this.`;
  const shown = files.map((file) => shownFile(file, io)).join(" and ");
  if (changed) return `Wrote the hook of ${title}${by} into ${shown}.`;
  return `${shown} ${files.length === 1 ? "has" : "have"} the hook of ${title}${by} already.`;
}

/** What still holds where a hook does not. */
function describeFloors(rows: readonly InstalledRow[], denials: readonly string[]): readonly string[] {
  if (denials.length === 0)
    return ["The machine's policy (/etc/toolcrib/policy.yaml) has no deny rules for their own languages."];
  const guarded = rows.filter(({ files }) => files.length > 0);
  const mute = guarded.filter(({ left }) => left === null).map(({ client }) => HOOK_CLIENTS[client].title);
  const lines = guarded.flatMap(({ client, left }) => {
    if (left === null) return [];
    const said = `${HOOK_CLIENTS[client].title} has ${denials.length - left.length} of ${countText(denials.length, "deny rule")} in its own language too`;
    return [left.length === 0 ? `${said}.` : `${said}; not ${left.join(", ")}.`];
  });
  return mute.length === 0 ? lines : [...lines, `The hook alone holds them at ${mute.join(", ")}.`];
}

/** What a repository's own guard cannot hold: the repository itself. */
function describeProject(clients: readonly HookClientName[]): readonly string[] {
  const switches = clients.flatMap((client) =>
    CLIENT_LIMITS[client].switches.map(({ keys, files }) => `${keys.join(".")} in ${files.join(" or ")}`),
  );
  return [
    "These files belong to the repository: who changes them changes the guard of everybody who works in it.",
    ...(switches.length === 0 ? [] : [`They are also turned off by ${switches.join(", ")}.`]),
    "Everybody needs toolcrib on the PATH of their clients; where it is not, every call is refused.",
  ];
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

/** From what was there before the first time: rules that are gone since go here too. */
async function planChanges(
  files: readonly GuardFile[],
  input: CommandInput,
  record: string,
): Promise<readonly WrittenFile[]> {
  const earlier = await readRecord(record);
  const changes: WrittenFile[] = [];
  for (const file of files) {
    const before = await readOptionalFile(file.path);
    const known = earlier.find(({ path, after }) => path === file.path && after === before);
    const base = known === undefined ? before : known.before;
    if (file.parts.length === 0 && known === undefined) continue;
    if (file.parts.length === 0 && base === null) {
      await takeBack(record, known);
      continue;
    }
    const after = await withParts(base, file).catch(async (error: unknown) => {
      throw error instanceof NoPlace ? await refusal(file, base ?? "", error, input) : error;
    });
    const [mode] = file.parts.flatMap((part) => (part.kind === "text" ? [part.mode] : []));
    if (after !== before) changes.push({ path: file.path, before, after, ...(mode === undefined ? {} : { mode }) });
  }
  return changes;
}

/** A file that only an earlier install has made, and that has nothing to say any more. */
async function takeBack(record: string, change: WrittenFile | undefined): Promise<void> {
  if (change === undefined) return;
  await undoChange(change, async () => null);
  await forgetChanges(record, new Set([change.path]));
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
  const wanted =
    part?.kind === "item" ? part.item : part?.kind === "value" ? part.value : part?.kind === "more" ? part.items : null;
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
