import { basename, resolve, sep } from "node:path";
import { withItem } from "../../../config/edit/edit-list.ts";
import { serversIn, withServer } from "../../../config/edit/edit-servers.ts";
import { type Imported, importForeign, type KnownVariables } from "../../../config/import/import-foreign.ts";
import { findKeysTarget, type KeysTarget, type PlannedKeys, planKeys } from "../../../config/import/plan-keys.ts";
import { writeConfig } from "../../../config/import/write-config.ts";
import { userFolder } from "../../../config/layers/find-files.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import { escapeLines, escapeText, toJson, writeLines } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { toConfigInput } from "./config-input.ts";
import { checkText, readOptionalFile, trustAfter } from "./edit-target.ts";
import { describeKeys } from "./keys-text.ts";

/** `toolcrib init`: a `toolcrib.yaml` from what other products have here, and what could not be taken over. */
export async function runInit(input: CommandInput): Promise<number> {
  const { io, args } = input;
  if (args.has("rules")) return (await import("./init-rules.ts")).runInitRules(input);
  const alone = (["project", "client", "undo", "yes"] as const).find((option) => args.has(option));
  if (alone !== undefined) throw usage(`--${alone} goes with --rules`);
  const path = await findPath(input);
  const file = shownFile(path, io);
  const isDry = args.has("dry-run");
  const before = args.has("force") ? null : await readOptionalFile(path);
  const { home, env } = toConfigInput(input);
  const target = await findKeysTarget({ path, text: before }, { cwd: io.cwd, home, env }, fileReaders);
  const found = await importFor(path, input, target);
  const imported = before === null ? found : await withoutKnown(found, before, file);
  const keys: KeysOfFile = { ...target, ...planKeys(imported, [imported.servers, imported.settings], target) };
  const refusal = refuse(imported, found.settings, before, file);
  if (refusal !== null && !isDry) throw refusal;
  const text = await toText(imported, before, file);
  await checkText(text, file);
  if (!isDry && keys.after !== null) await writeWhole(keys.path, keys.after, 0o600);
  if (!isDry) await writeWhole(path, text);
  const trust = isDry ? null : await trustAfter(input);
  if (args.has("json")) io.out(toJson(toDocument(imported, file, text, !isDry, trust, keys, input), io.isTTY));
  else {
    if (isDry) io.out(`${escapeLines(text.trimEnd())}\n`);
    const say = isDry ? io.err : io.out;
    say(writeLines(formatImport(imported, file, { isDry, isAdded: before !== null, trust, keys }, input)));
    if (refusal !== null) io.err(`toolcrib: nothing would be written: ${escapeText(refusal.message)}\n`);
  }
  return 0;
}

type KeysOfFile = KeysTarget & PlannedKeys;

/** In the environment, or among the person's keys. */
function isSet(name: string, { keys, names }: KeysOfFile, { io }: CommandInput): boolean {
  return io.env[name] !== undefined || keys.has(name) || names.includes(name);
}

const NAMES = ["toolcrib.yaml", "toolcrib.yml", "toolcrib.json"];

/** One project has one file, whatever its ending. */
async function findPath({ io, args }: CommandInput): Promise<string> {
  const named = args.value("config");
  const path = resolve(io.cwd, named ?? "toolcrib.yaml");
  for (const other of NAMES.includes(basename(path)) ? NAMES : []) {
    const there = resolve(path, "..", other);
    if (there === path || (await fileReaders.exists(there)) === false) continue;
    if (named === null && !args.has("force")) return there;
    throw new ToolcribError("file.exists", `there is a ${other} already, and one of them is enough; remove it first`, {
      names: [other],
    });
  }
  return path;
}

/** A person's own file counts in every project, so what is a project's own has no place in it: nobody has looked at that. */
async function importFor(path: string, input: CommandInput, known: KnownVariables): Promise<Imported> {
  const { home, env } = toConfigInput(input);
  const places = { cwd: input.io.cwd, home, env, platform: process.platform };
  if (!path.startsWith(userFolder({ home, env }) + sep)) return importForeign(places, fileReaders, "both", known);
  const own = await importForeign(places, fileReaders, "user", known);
  const project = await importForeign(places, fileReaders, "project");
  const why =
    'it belongs to this project, and your own file applies to every project; "toolcrib init" copies it into toolcrib.yaml';
  const left = project.servers.map(({ name, origin }) => ({ what: `server "${name}"`, why, origin }));
  return { ...own, left: [...own.left, ...left] };
}

/** Only servers are added to a file that is there, without the tools that were excluded: what else it says is what somebody wanted. */
async function withoutKnown(imported: Imported, text: string, file: string): Promise<Imported> {
  const known = await serversIn(text, file);
  const servers = imported.servers.filter(({ name }) => !known.includes(name));
  const why = `${file} already exists, and init adds only servers to it`;
  const isTheirs = ({ path, value }: Imported["settings"][number]): boolean =>
    path.join(".") === "excludeTools" && servers.some(({ name }) => String(value).startsWith(`${name}/`));
  const settings = imported.settings.filter(isTheirs);
  const left = imported.settings
    .filter((setting) => !isTheirs(setting))
    .map(({ path, origin }) => ({ what: path.join("."), why, origin }));
  const used = JSON.stringify(servers);
  const variables = imported.variables.filter(({ name }) => used.includes(`\${${name}`));
  return { ...imported, servers, settings, variables, left: [...imported.left, ...left] };
}

/** Null: nothing stands in the way. */
function refuse(
  { servers }: Imported,
  settings: Imported["settings"],
  before: string | null,
  file: string,
): ToolcribError | null {
  if (before === null || servers.length > 0) return null;
  const keys = [...new Set(settings.map(({ path }) => path.join(".")))];
  const found =
    keys.length === 0
      ? "nothing new was found for it"
      : `init adds only servers to it, and no new one was found: ${keys.join(", ")} would stay out`;
  const text = `${file} already exists, and ${found}; --force replaces the whole file, --dry-run shows with what`;
  return new ToolcribError("file.exists", text, { names: [file] });
}

async function toText(imported: Imported, before: string | null, file: string): Promise<string> {
  if (before === null) {
    const written = await writeConfig(imported);
    return file.endsWith(".json") ? toJsonText(written) : written;
  }
  let text = before;
  for (const { name, entry } of imported.servers) text = await withServer(text, file, name, entry);
  for (const { path, value } of imported.settings)
    ({ text } = await withItem(text, file, path.join("."), String(value)));
  return text;
}

/** A file for JSON holds JSON; what comments say is in the answer too. */
async function toJsonText(text: string): Promise<string> {
  const { parse } = await import("yaml");
  return `${JSON.stringify(parse(text) ?? { mcpServers: {} }, null, 2)}\n`;
}

interface Outcome {
  readonly isDry: boolean;
  readonly isAdded: boolean;
  readonly trust: string | null;
  readonly keys: KeysOfFile;
}

function formatImport(
  { files, servers, settings, left, variables }: Imported,
  file: string,
  { isDry, isAdded, trust, keys }: Outcome,
  input: CommandInput,
): readonly string[] {
  const verb = isAdded ? (isDry ? "Would add to" : "Added to") : isDry ? "Would write" : "Wrote";
  const unset = variables.filter(({ name }) => !isSet(name, keys, input));
  return [
    files.length === 0
      ? `Found no file of another product here; ${isDry ? "would write" : "wrote"} ${file} to start from.`
      : `${verb} ${file} from ${files.join(", ")}:`,
    ...servers.map(({ name, origin }) => `  server ${name} (${formatOrigin(origin)})`),
    ...settings.map(({ path, origin }) => `  ${path.join(".")} (${formatOrigin(origin)})`),
    ...(left.length === 0 ? [] : ["Not taken over:"]),
    ...left.map(({ what, why, origin }) => `  ${what} (${formatOrigin(origin)}): ${why}`),
    ...(keys.after === null ? [] : [describeKeys(keys, isDry ? "Would put" : "Put")]),
    ...(unset.length === 0 ? [] : ["Set these in the environment:"]),
    ...unset.map(({ name, about }) => `  ${name}${about === null ? "" : `: ${about}`}`),
    ...(trust === "untrusted" || trust === "changed"
      ? ['Next: "toolcrib trust" shows what the file may start, and asks; then "toolcrib servers".']
      : []),
  ];
}

function toDocument(
  { files, servers, settings, left, variables }: Imported,
  file: string,
  text: string,
  written: boolean,
  trust: string | null,
  keys: KeysOfFile,
  input: CommandInput,
): object {
  return {
    file,
    written,
    readFiles: files,
    servers: servers.map(({ name, origin }) => ({ name, from: formatOrigin(origin) })),
    settings: settings.map(({ path, origin }) => ({ path: path.join("."), from: formatOrigin(origin) })),
    notTaken: left.map(({ what, why, origin }) => ({ what, why, from: formatOrigin(origin) })),
    variables: variables.map(({ name, about }) => ({ name, about, isSet: isSet(name, keys, input) })),
    keys: keys.after === null ? null : { file: keys.file, names: keys.names },
    trust,
    ...(written ? {} : { text }),
  };
}
