import { basename, resolve } from "node:path";
import { type Imported, importForeign } from "../../config/import/import-foreign.ts";
import { writeConfig } from "../../config/import/write-config.ts";
import { shownPath } from "../../config/layers/find-files.ts";
import { fileReaders } from "../../config/layers/readers.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import { escapeLines, escapeText, toJson, toLines } from "../../system/text/escape-text.ts";
import type { CommandInput } from "./command.ts";
import { toConfigInput } from "./config-input.ts";
import { checkText, trustAfter } from "./edit-target.ts";

/** `toolcrib init`: a `toolcrib.yaml` from what other products have here, and what could not be taken over. */
export async function runInit(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const { home, env } = toConfigInput(input);
  const path = resolve(io.cwd, args.value("config") ?? "toolcrib.yaml");
  const file = shownPath(path, io);
  const isDry = args.has("dry-run");
  const refusal = await refuseOverwriting(path, file, input);
  if (refusal !== null && !isDry) throw refusal;
  const imported = await importForeign({ cwd: io.cwd, home, env, platform: process.platform }, fileReaders);
  const written = await writeConfig(imported);
  const text = path.endsWith(".json") ? await toJsonText(written) : written;
  await checkText(text, file);
  if (!isDry) await writeWhole(path, text);
  const trust = isDry ? null : await trustAfter(input);
  if (args.has("json")) io.out(toJson(toDocument(imported, file, text, !isDry, trust, input), io.isTTY));
  else {
    if (isDry) io.out(escapeLines(text));
    const say = isDry ? io.err : io.out;
    say(toLines(formatImport(imported, file, isDry, trust, input)));
    if (refusal !== null) io.err(`toolcrib: nothing would be written: ${escapeText(refusal.message)}\n`);
  }
  return 0;
}

/** A file for JSON holds JSON; what comments say is in the answer too. */
async function toJsonText(text: string): Promise<string> {
  const { parse } = await import("yaml");
  return `${JSON.stringify(parse(text) ?? { mcpServers: {} }, null, 2)}\n`;
}

/** One project has one file, whatever its ending. Null: nothing stands in the way. */
async function refuseOverwriting(
  path: string,
  file: string,
  { io, args }: CommandInput,
): Promise<ToolcribError | null> {
  const names = ["toolcrib.yaml", "toolcrib.yml", "toolcrib.json"];
  const others = names.includes(basename(path)) ? names.filter((name) => name !== basename(path)) : [];
  for (const other of others) {
    if ((await fileReaders.exists(resolve(path, "..", other))) === false) continue;
    return new ToolcribError("file.exists", `there is a ${other} already, and one of them is enough; remove it first`, {
      names: [other],
    });
  }
  if (args.has("force") || (await fileReaders.exists(path)) === false) return null;
  const advice = "--force replaces it, --dry-run shows what would be written";
  return new ToolcribError("file.exists", `${shownPath(path, io)} is there already; ${advice}`, { names: [file] });
}

function formatImport(
  { files, servers, settings, left, variables }: Imported,
  file: string,
  isDry: boolean,
  trust: string | null,
  { io }: CommandInput,
): readonly string[] {
  const unset = variables.filter(({ name }) => io.env[name] === undefined);
  return [
    files.length === 0
      ? `Found no file of another product here; ${isDry ? "would write" : "wrote"} ${file} to start from.`
      : `${isDry ? "Would write" : "Wrote"} ${file} from ${files.join(", ")}:`,
    ...servers.map(({ name, origin }) => `  server ${name} (${formatOrigin(origin)})`),
    ...settings.map(({ path, origin }) => `  ${path.join(".")} (${formatOrigin(origin)})`),
    ...(left.length === 0 ? [] : ["Not taken over:"]),
    ...left.map(({ what, why, origin }) => `  ${what} (${formatOrigin(origin)}): ${why}`),
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
  { io }: CommandInput,
): object {
  return {
    file,
    written,
    readFiles: files,
    servers: servers.map(({ name, origin }) => ({ name, from: formatOrigin(origin) })),
    settings: settings.map(({ path, origin }) => ({ path: path.join("."), from: formatOrigin(origin) })),
    notTaken: left.map(({ what, why, origin }) => ({ what, why, from: formatOrigin(origin) })),
    variables: variables.map(({ name, about }) => ({ name, about, isSet: io.env[name] !== undefined })),
    trust,
    ...(written ? {} : { text }),
  };
}
