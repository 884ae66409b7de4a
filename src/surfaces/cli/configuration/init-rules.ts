import { join, resolve, sep } from "node:path";
import {
  type ClientRule,
  RULE_CLIENTS,
  RULE_LISTS,
  type RuleClient,
} from "../../../config/client-rules/client-rule.ts";
import { compareClients } from "../../../config/client-rules/compare-clients.ts";
import { findLeaks } from "../../../config/client-rules/find-leaks.ts";
import { compileClientRules, readClientRules } from "../../../config/client-rules/read-client-rules.ts";
import { missingRules, rulesIn, type WrittenRule, withoutRules, withRules } from "../../../config/edit/edit-rules.ts";
import { userFolder } from "../../../config/layers/find-files.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { CompiledRule, compileRules } from "../../../core/rules/compile-rules.ts";
import { findIdleRules } from "../../../core/rules/idle-rules.ts";
import { createShellReader } from "../../../system/shell/read-command-line.ts";
import { escapeLines } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { toConfigInput } from "./config-input.ts";
import { checkText, readOptionalFile, trustAfter } from "./edit-target.ts";
import { formatLineDiff } from "./line-diff.ts";
import { describeDone, describeRules, type ImportedRules, toRulesDocument } from "./rules-text.ts";
import { applyChanges, forgetChanges, readRecord, undoChange } from "./written-files.ts";

/** `toolcrib init --rules`: the permissions that clients' files have, in one file of ours. */
export async function runInitRules(input: CommandInput): Promise<number> {
  const { args } = input;
  if (args.has("project") && args.has("config")) throw usage("--project and --config do not go together");
  if (args.has("force")) throw usage("--force has no effect with --rules, which only adds to a file");
  const target = await findTarget(input);
  if (args.has("undo")) return undo(input, target);
  const imported = await importRules(input, target);
  const isDry = args.has("dry-run");
  if (isDry || imported.added.length === 0) return answer(input, imported, false, null);
  const isAsked = !args.has("yes");
  if (isAsked) {
    input.io.err(escapeLines(describeRules(imported, "would", null)));
    const question = `Write ${imported.added.length === 1 ? "this rule" : `these ${imported.added.length} rules`} into ${imported.file}?`;
    if (!(await confirm(input, question, [imported.file]))) return 0;
  }
  await applyChanges(target.record, async () => ({ changes: [await planChange(target, imported)] }));
  const trust = target.side === "project" ? await trustAfter(input) : null;
  if (!isAsked || args.has("json")) return answer(input, imported, true, trust);
  input.io.out(escapeLines(describeDone(imported, trust)));
  return 0;
}

interface Target {
  readonly path: string;
  readonly file: string;
  readonly side: ClientRule["side"];
  /** Where what was there before is kept. */
  readonly record: string;
}

/** A person's own file counts in every project, so what a project says goes into the project's own. */
async function findTarget(input: CommandInput): Promise<Target> {
  const { io, args } = input;
  const { home, env } = toConfigInput(input);
  const own = userFolder({ home, env });
  const named = args.value("config");
  const path =
    named !== null
      ? resolve(io.cwd, named)
      : args.has("project")
        ? await onlyFile(io.cwd, "toolcrib")
        : await onlyFile(own, "config");
  const side = path.startsWith(own + sep) ? "user" : "project";
  const record = join(stateFolder({ home, env }), "rules", "written.json");
  return { path, file: shownFile(path, io), side, record };
}

async function onlyFile(folder: string, name: string): Promise<string> {
  for (const ending of ["yaml", "yml", "json"]) {
    const path = join(folder, `${name}.${ending}`);
    if ((await fileReaders.exists(path)) !== false) return path;
  }
  return join(folder, `${name}.yaml`);
}

async function importRules(input: CommandInput, target: Target): Promise<ImportedRules> {
  const { io } = input;
  const { home, env } = toConfigInput(input);
  const places = { cwd: io.cwd, home, env, platform: process.platform };
  const client = readClient(input);
  const { files, rules, left } = await readClientRules(places, fileReaders, client === null ? CLIENTS : [client]);
  const own = rules.filter(({ side }) => side === target.side);
  const sorted = RULE_LISTS.flatMap((list) => own.filter((rule) => rule.list === list));
  const written = sorted.flatMap(({ list, rules: texts, origin }) =>
    texts.map((rule): WrittenRule => ({ list, rule, comment: formatOrigin(origin) })),
  );
  const before = (await readOptionalFile(target.path)) ?? "";
  const added = await missingRules(before, target.file, written);
  const after = await withRules(before, target.file, added);
  await checkText(after, target.file);
  const shell = await createShellReader();
  const world = { cwd: io.cwd, home, workspace: io.cwd, readLink: () => null };
  return {
    file: target.file,
    side: target.side,
    readFiles: files,
    rules: own,
    added,
    elsewhere: rules.filter(({ side }) => side !== target.side),
    left,
    disagreements: await compareClients(rules, shell, world),
    leaks: await findLeaks(rules, shell, world),
    idle: await idleRules(own, world),
    diff: formatLineDiff(before, after),
  };
}

const CLIENTS = Object.keys(RULE_CLIENTS) as RuleClient[]; // Keys of the table.

/** The only one whose permissions are wanted; null for all. */
function readClient({ args }: CommandInput): RuleClient | null {
  const named = args.value("client");
  return named === null ? null : parseWord("--client", named, CLIENTS);
}

async function idleRules(rules: readonly ClientRule[], world: Parameters<typeof compileRules>[1]) {
  const compiled = await compileClientRules(rules, world);
  const found = findIdleRules(compiled);
  return found.flatMap(({ rule, list, by }) => {
    const over = STRICTER.find((one) => by !== null && compiled[one].includes(by));
    if (by === null || over === undefined || over === list) return [];
    return [`${list} ${placed(rule)}: ${over} ${placed(by)} decides first`];
  });
}

const STRICTER = ["deny", "ask"] as const;

function placed({ text, origin }: CompiledRule): string {
  return `${text} (${formatOrigin(origin)})`;
}

async function planChange({ path, file }: Target, { added }: ImportedRules) {
  const before = await readOptionalFile(path);
  const after = await withRules(before ?? "", file, await missingRules(before ?? "", file, added));
  return { path, before, after };
}

function answer(input: CommandInput, imported: ImportedRules, written: boolean, trust: string | null): number {
  printAnswer(input, toRulesDocument(imported, written, trust), () =>
    escapeLines(describeRules(imported, written ? "did" : "would", trust)),
  );
  return 0;
}

/** The file as it was before, or without the rules where it has changed since. */
async function undo(input: CommandInput, { record, path, file }: Target): Promise<number> {
  const changes = await readRecord(record);
  const change = changes.find((one) => one.path === path);
  if (change === undefined)
    throw new ToolcribError("file.not-written", `"toolcrib init --rules" has written nothing into ${file}`);
  const added = await addedBetween(change.before ?? "", change.after, file);
  const became = await undoChange(change, async (now) => {
    const text = await withoutRules(now, file, added);
    return text === null ? null : { text: text === "" && change.before === null ? null : text };
  });
  if (became !== "kept") await forgetChanges(record, new Set([path]));
  printAnswer(input, { file, became }, () =>
    became === "restored"
      ? `Put back ${file}.\n`
      : became === "merged"
        ? `Took the rules out of ${file}; what has changed there since stays.\n`
        : `${file} has none of the rules any more, so it stays as it is.\n`,
  );
  return became === "kept" ? 1 : 0;
}

/** The rules that one text has and the other has not. */
async function addedBetween(before: string, after: string, file: string): Promise<readonly WrittenRule[]> {
  return missingRules(before, file, await rulesIn(after, file));
}
