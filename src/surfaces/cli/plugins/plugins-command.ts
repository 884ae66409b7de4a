import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { findFiles, showPath } from "../../../config/layers/find-files.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { describeTrust } from "../../../config/load-config.ts";
import { userPlugins } from "../../../config/plugins/find-plugins.ts";
import { type FoundPlugin, readPlugins } from "../../../config/plugins/plugin-layers.ts";
import {
  findMarketplace,
  type PluginSource,
  readMarketplace,
  SOURCE_FILE,
} from "../../../config/plugins/plugin-source.ts";
import { type Plugin, readPlugin } from "../../../config/plugins/read-plugin.ts";
import { listWritten } from "../../../config/shape/list-values.ts";
import { showPlain } from "../../../config/shape/show-plain.ts";
import { unfoldHome } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { nodeAt } from "../../../core/shape/node.ts";
import { escapeLines, escapeText, toJson } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { adviseName } from "../terminal/name-list.ts";
import { formatTable } from "../terminal/table.ts";
import { fetchRepository, readRepository } from "./fetch-repository.ts";
import { unpackPlugin } from "./unpack-plugin.ts";

/** `toolcrib plugins`: those that there are, and adding and removing a person's own. */
export async function runPlugins(input: CommandInput): Promise<number> {
  const [word = "list", named, inside] = input.args.operands;
  const action = parseWord("the action", word, ["list", "add", "remove"]);
  if (action === "list") return list(input);
  if (named === undefined)
    throw usage(`plugins ${action} needs ${action === "add" ? "a folder, an archive or a git address" : "a name"}`);
  return action === "add" ? add(input, named, inside ?? null) : remove(input, named);
}

const PARTS = ["agents", "skillDirectories", "hooks", "mcpServers", "commands"] as const;

async function list(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const { plugins, notices } = await load(input);
  const { items } = await describeTrust(toConfigInput(input));
  const { home } = placesOf(input);
  const waits = ({ side, folder }: FoundPlugin): boolean =>
    side === "project" &&
    items.some(
      ({ standing, origin }) =>
        standing !== "trusted" &&
        origin.kind === "file" &&
        resolve(io.cwd, unfoldHome(origin.file, home)).startsWith(join(folder, "/")),
    );
  const rows = plugins.map((plugin) => ({
    name: plugin.name,
    version: plugin.version,
    description: plugin.description,
    side: plugin.side,
    folder: plugin.folder,
    source: plugin.source,
    brings: PARTS.filter((part) => nodeAt(plugin.root, part) !== undefined),
    waits: waits(plugin),
  }));
  input.log.notices(notices);
  if (args.has("json")) io.out(toJson({ plugins: rows }, io.isTTY));
  else if (rows.length === 0) io.out('There are no plugins. "toolcrib plugins add FOLDER" adds one.\n');
  else {
    const cells = rows.map(({ name, version, side, source, brings, waits: isWaiting, description }) => {
      const market = source?.marketplace ?? null;
      const commit = source?.commit?.slice(0, 8) ?? null;
      const from = [side, market, commit, isWaiting ? "waits for trust" : null].filter(Boolean).join(", ");
      return [name, version ?? "", from, brings.join(", "), description ?? ""].map(escapeText);
    });
    const columns = ["PLUGIN", "VERSION", "FROM", "BRINGS", "DESCRIPTION"].map((heading) => ({
      heading,
      shrinks: heading === "DESCRIPTION",
    }));
    io.out(`${formatTable(columns, cells, io.columns).join("\n")}\n`);
  }
  return 0;
}

async function load(input: CommandInput) {
  const places = placesOf(input);
  const found = await findFiles({ ...places, named: null, systemPolicy: "" }, fileReaders);
  return readPlugins(found, places, fileReaders);
}

function placesOf({ io }: CommandInput) {
  return { cwd: io.cwd, home: homeFolder(io.env), env: io.env };
}

/** Copied beside its place first, so that it is there whole or not at all. */
async function add(input: CommandInput, named: string, inside: string | null): Promise<number> {
  const { io } = input;
  const home = userPlugins(placesOf(input));
  await mkdir(home, { recursive: true, mode: 0o700 });
  const copy = join(home, `.new-${process.pid}`);
  const fetched = join(home, `.fetched-${process.pid}`);
  try {
    const taken = await take(input, named, inside, fetched);
    const { folder, commit } = taken;
    await unpackPlugin(folder, copy);
    const marketplace = await findMarketplace(folder, fileReaders);
    const source: PluginSource = { path: taken.path, commit, marketplace };
    const about = { called: calledBy(inside ?? taken.path), marketplace };
    const plugin = await readPlugin(
      copy,
      (path) => showPath(path, { ...placesOf(input), cwd: copy }),
      fileReaders,
      about,
    );
    if (plugin === null) throw usage(await sayNoPlugin(named, folder));
    await writeFile(join(copy, SOURCE_FILE), toJson(source, false));
    input.log.notices(plugin.notices);
    if (!input.args.has("json")) io.out(describe(plugin, copy, source));
    const place = join(home, plugin.name);
    const isThere = (await fileReaders.exists(place)) !== false;
    const question = isThere ? `Replace the plugin ${plugin.name} with this one?` : `Add the plugin ${plugin.name}?`;
    if (!(await confirm(input, question, [plugin.name]))) return 1;
    if (isThere) await rm(place, { recursive: true, force: true });
    await rename(copy, place);
    const answer = { plugin: plugin.name, folder: place, action: isThere ? "replaced" : "added", commit };
    io.out(input.args.has("json") ? toJson(answer, io.isTTY) : `${plugin.name} is in ${escapeText(place)}.\n`);
    return 0;
  } finally {
    await Promise.all([copy, fetched].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

interface Taken {
  /** Where it lies now. */
  readonly folder: string;
  /** Where it is from, for people. */
  readonly path: string;
  readonly commit: string | null;
}

/** The plugin that is named, or the one inside the marketplace that is. */
async function take({ io }: CommandInput, named: string, inside: string | null, fetched: string): Promise<Taken> {
  const repository = readRepository(named);
  const commit = repository === null ? null : await fetchRepository(repository, fetched, io);
  const folder = repository === null ? resolve(io.cwd, named) : fetched;
  const path = repository?.url ?? folder;
  if (inside === null) return { folder, path, commit };
  const market = await readMarketplace(folder, fileReaders);
  if (market === null) throw usage(`${named} is no marketplace: it has no .claude-plugin/marketplace.json`);
  const names = market.plugins.map(({ name }) => name);
  const found = market.plugins.find(({ name }) => name === inside);
  if (found === undefined)
    throw usage(`${named} has no plugin ${inside}; ${adviseName(inside, names, "it has none").text}`);
  if (found.folder === null) throw usage(`${inside} lies outside ${named}; add its own folder or git address`);
  if (!found.folder.startsWith(join(folder, "/"))) throw usage(`${inside} leads out of ${named}`);
  return { folder: found.folder, path: repository === null ? found.folder : path, commit };
}

async function sayNoPlugin(named: string, folder: string): Promise<string> {
  const market = await readMarketplace(folder, fileReaders);
  const names = (market?.plugins ?? []).map(({ name }) => name);
  const [first] = names;
  if (first === undefined) return `${named} is not a plugin: it has neither plugin.json nor .claude-plugin/plugin.json`;
  return `${named} is a marketplace; add one of its plugins: toolcrib plugins add ${named} ${first} (it has ${names.join(", ")})`;
}

/** By its folder, archive or repository, where it has no name itself. */
function calledBy(named: string): string {
  return basename(resolve("/", named)).replace(/\.(?:tgz|tar(?:\.gz)?|git)$/, "");
}

/** Everything that it would start or say, secrets masked. */
function describe({ name, version, description, root }: Plugin, copy: string, { path, commit }: PluginSource): string {
  const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  const rows = listWritten({ written: root }, showPlain).map(({ path, value }) => `  ${path}: ${shown(value)}`);
  const head = [name, version, description].filter((part) => part !== null).join(" · ");
  const lines = rows.map((row) => escapeText(row.replaceAll(copy, "PLUGIN")));
  const from = commit === null ? [] : [`  from: ${escapeText(`${path}#${commit}`)}`];
  return `${escapeLines(head)}\n${[...from, ...lines].join("\n")}\n`;
}

async function remove(input: CommandInput, named: string): Promise<number> {
  const { io } = input;
  const { plugins } = await load(input);
  const found = plugins.filter(({ name }) => name === named);
  const own = found.find(({ side }) => side === "user");
  if (own === undefined) {
    const [project] = found;
    const known = plugins.filter(({ side }) => side === "user").map(({ name }) => name);
    const text =
      project === undefined
        ? `there is no plugin ${JSON.stringify(named)}; ${adviseName(named, known, "there is none").text}`
        : `${named} is the project's; to remove it, delete ${showPath(project.folder, placesOf(input))}`;
    throw new ToolcribError("usage.invalid", text, { names: [named] });
  }
  if (!(await confirm(input, `Remove the plugin ${named}, with its folder ${own.folder}?`, [named]))) return 1;
  await rm(own.folder, { recursive: true, force: true });
  io.out(
    input.args.has("json")
      ? toJson({ plugin: named, action: "removed" }, io.isTTY)
      : `${escapeText(named)} is removed.\n`,
  );
  return 0;
}
