import { realpathSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { type ForeignFile, foreignFiles } from "../../../config/import/find-foreign.ts";
import { CWD, PRODUCTS } from "../../../config/import/products.ts";
import { readToml } from "../../../config/import/read-toml.ts";
import { blankExtras } from "../../../config/layers/blank-extras.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { isInside } from "../../../core/rules/paths.ts";
import { type ConfigNode, nodeAt, toNode } from "../../../core/shape/node.ts";
import { entriesAt, itemsAt, readText } from "../../../core/shape/read-node.ts";
import type { GuardCall } from "../../../runtime/guard/guard-call.ts";
import { findProgram } from "../../../system/process/find-program.ts";
import type { HookClient } from "../../guard/hook-clients.ts";
import { BIN, PROGRAM } from "../running/own-program.ts";
import { readNotes } from "../running/running-note.ts";
import { settingPlaces } from "../running/work-place.ts";
import type { Io } from "../terminal/io.ts";
import { findPluginFiles, type PluginFile } from "./plugin-files.ts";

interface Here {
  readonly workspace: string;
  readonly home: string;
  readonly io: Pick<Io, "cwd" | "env">;
}

/**
 * Whether a client's call goes to our own gateway, under whatever name the person gave its entry. The client's files say so:
 * a name alone would let a repository call its own server like ours.
 */
export async function isOwnCall(calls: readonly GuardCall[], { products }: HookClient, here: Here): Promise<boolean> {
  const servers = calls.flatMap(({ tool }) => (tool.kind === "served" ? [toWire(tool.server)] : []));
  if (servers.length === 0) return false;
  const origins = [...(await readNotes(settingPlaces(here.io))).values()].flatMap(({ origin }) => origin ?? []);
  const places = { cwd: here.workspace, home: here.home, env: here.io.env, platform: process.platform };
  const files = foreignFiles(places).filter(({ product }) => products.includes(product));
  const plugins = await findPluginFiles(products, places);
  const listed = [
    ...(await Promise.all(files.map((file) => entriesOf(file, here, origins)))),
    ...(await Promise.all(plugins.map((plugin) => entriesOfPlugin(plugin, here)))),
  ].flat();
  const meant = listed.filter(({ name }) => servers.includes(name));
  // Where a name could mean several servers, the client calls the one with the longest.
  const longest = Math.max(...meant.map(({ name }) => name.length));
  const found = meant.filter(({ name }) => name.length === longest);
  return found.length > 0 && found.every(({ isOurs }) => isOurs);
}

/** Under which names a client lists this Toolcrib, in files of this side. */
export async function findOwnEntries(
  { products }: Pick<HookClient, "products">,
  side: ForeignFile["side"],
  here: Here,
): Promise<readonly string[]> {
  const origins = [...(await readNotes(settingPlaces(here.io))).values()].flatMap(({ origin }) => origin ?? []);
  const places = { cwd: here.workspace, home: here.home, env: here.io.env, platform: process.platform };
  const files = foreignFiles(places).filter((file) => products.includes(file.product) && file.side === side);
  const listed = (await Promise.all(files.map((file) => entriesOf(file, here, origins)))).flat();
  return [...new Set(listed.filter(({ isOurs }) => isOurs).map(({ written }) => written))];
}

interface Entry {
  readonly name: string;
  readonly written: string;
  readonly isOurs: boolean;
}

async function entriesOf(file: ForeignFile, here: Here, origins: readonly string[]): Promise<readonly Entry[]> {
  const root = await load(file).catch(() => null);
  if (root === null) return [];
  return PRODUCTS[file.product].servers.flatMap((keys) =>
    entriesAt(root, ...keys.map((key) => (key === CWD ? here.workspace : key))).map(([name, node]) => ({
      name: toWire(name),
      written: name,
      isOurs: reachesUs(node, file, origins) || startsUs(node, file, here),
    })),
  );
}

/** Only what a plugin of the person's own starts counts. */
async function entriesOfPlugin({ path, product, prefix }: PluginFile, here: Here): Promise<readonly Entry[]> {
  const file: ForeignFile = { path, file: path, product, side: "user" };
  const root = await load(file).catch(() => null);
  return entriesAt(root ?? undefined, "mcpServers").map(([name, node]) => ({
    name: toWire(prefix + name),
    written: prefix + name,
    isOurs: startsUs(node, file, here),
  }));
}

/** No lines are needed here, and without them it is quick: a client waits. */
async function load({ path, file }: ForeignFile): Promise<ConfigNode | null> {
  const text = await fileReaders.readText(path);
  if (text === null) return null;
  if (file.endsWith(".toml")) return readToml(text, file);
  return toNode(JSON.parse(blankExtras(text.replace(/^\ufeff/, ""))), { kind: "file", file, line: null });
}

/** By the address of a Toolcrib that runs on this machine. */
function reachesUs(node: ConfigNode, { product }: ForeignFile, origins: readonly string[]): boolean {
  return PRODUCTS[product].addresses.some(([key]) => {
    const url = readText(nodeAt(node, key))?.value ?? "";
    return URL.canParse(url) && origins.includes(new URL(url).origin);
  });
}

/**
 * By `toolcrib connect`, where that starts this very program, or what the person has under its name outside of the repository:
 * version managers put a script there. Variables that a repository adds could make it another one.
 */
function startsUs(node: ConfigNode, { side }: ForeignFile, { workspace, io }: Here): boolean {
  if (side === "project" && [...entriesAt(node, "env"), ...entriesAt(node, "environment")].length > 0) return false;
  const words = [nodeAt(node, "command"), ...itemsAt(node, "command"), ...itemsAt(node, "args")].flatMap(
    (word) => readText(word)?.value ?? [],
  );
  const at = words.indexOf("connect");
  const program = programOf(words.slice(0, Math.max(at, 0)), workspace, io.env.PATH ?? "");
  if (program === null) return false;
  const isNamed = at === 1 && words[0] === PROGRAM;
  return isSameFile(program, BIN) || (isNamed && !mayLieIn(program, workspace));
}

function programOf(words: readonly string[], workspace: string, path: string): string | null {
  const [first = "", ...others] = words;
  const last = others.at(-1);
  if (last === undefined) return isAbsolute(first) ? first : first === PROGRAM ? findProgram(PROGRAM, path) : null;
  if (last === PROGRAM && first === "npx") return join(workspace, "node_modules", ".bin", PROGRAM);
  return others.length === 1 && isAbsolute(last) && /^node(?:\.exe)?$/.test(basename(first)) ? last : null;
}

/** What cannot be found out may lie there. */
function mayLieIn(file: string, folder: string): boolean {
  try {
    return [file, realpathSync(file)].some((path) => isInside(path, folder));
  } catch {
    return true;
  }
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/** Clients write names in tools with other characters replaced. */
function toWire(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, "_");
}
