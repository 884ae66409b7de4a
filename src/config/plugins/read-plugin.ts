import { basename, isAbsolute, join, normalize } from "node:path";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { errorAt } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, isNull, listNode, type MapNode, mapNode, nodeAt, scalarNode } from "../../core/shape/node.ts";
import { throwProblems } from "../../core/shape/problems.ts";
import { checkShape } from "../../core/shape/read.ts";
import { readText } from "../../core/shape/read-node.ts";
import { fieldOf } from "../../core/shape/shape.ts";
import { readAgentFile } from "../foreign/agent-files.ts";
import { toClaudeHooks } from "../foreign/claude-hooks.ts";
import { readCommands } from "../foreign/command-files.ts";
import { toCopilotHooks } from "../foreign/copilot-hooks.ts";
import { parseDocument } from "../layers/parse-document.ts";
import type { Readers } from "../layers/readers.ts";
import { fileShape } from "../shape/file-shape.ts";
import { serverShape } from "../shape/server-shape.ts";
import { mapTexts, withPlugin, withRoot } from "./plugin-root.ts";

/** A bundle of agents, skills, hooks, servers and prompts in one folder. */
export interface Plugin {
  readonly name: string;
  readonly version: string | null;
  readonly description: string | null;
  /** Its manifest, as the user would write it. */
  readonly file: string;
  readonly path: string;
  /** What it provides, in the shape of a configuration file. */
  readonly root: MapNode;
  readonly notices: readonly Notice[];
}

const MANIFESTS = [join(".claude-plugin", "plugin.json"), "plugin.json"];

/** Reads a plugin and starts nothing; null if the folder has no manifest. Throws if it cannot be read. */
export async function readPlugin(
  folder: string,
  shown: (path: string) => string,
  readers: Readers,
  {
    called = basename(folder),
    marketplace = null,
  }: {
    /** Its name, if it does not state one. */
    readonly called?: string;
    /** The marketplace it came from. */
    readonly marketplace?: string | null;
  } = {},
): Promise<Plugin | null> {
  const reading = await readManifest(folder, shown, readers);
  if (reading === null) return null;
  const { manifest, path } = reading;
  const file = shown(path);
  const origin = { kind: "file", file, line: null } as const;
  const name = readText(nodeAt(manifest, "name"))?.value ?? called;
  if (!/^\w[\w.-]*$/.test(name))
    throw errorAt("config.invalid", origin, `the name ${JSON.stringify(name)} is not a valid plugin name`);
  const said = (key: string): string | null => readText(nodeAt(manifest, key))?.value ?? null;
  const notices: Notice[] = [];
  const parts = { folder, shown, readers, manifest, origin };
  const entries = [
    ["agents", await readAgents(parts)],
    ["skillDirectories", await readSkills(parts)],
    ["mcpServers", await readServers(parts)],
    ["hooks", await readHooks(parts, notices)],
    [
      "commands",
      await readCommands(await listMarkdown(placesOf(parts, "commands", "commands"), readers), shown, readers, notices),
    ],
  ] as const;
  const version = said("version");
  const plain = version !== null && PLAIN_VERSION.test(version) ? `${name} ${version}` : name;
  const label = marketplace === null ? plain : `${plain} from ${marketplace}`;
  const root = mapNode(
    entries.flatMap(([key, node]) => (node === null ? [] : [[key, withPlugin(node, label)] as const])),
    { ...origin, plugin: label },
  );
  throwProblems(checkShape(root, fileShape));
  return { name, version, description: said("description"), file, path, root, notices };
}

/** Anything else is no version, and could pass for a message of Toolcrib. */
const PLAIN_VERSION = /^[\w.+-]{1,40}$/;

interface Parts {
  readonly folder: string;
  readonly shown: (path: string) => string;
  readonly readers: Readers;
  readonly manifest: MapNode;
  readonly origin: Origin;
}

async function readManifest(folder: string, shown: Parts["shown"], readers: Readers) {
  for (const path of MANIFESTS.map((name) => join(folder, name))) {
    const manifest = await readJson(path, shown, readers);
    if (manifest === null) continue;
    if (manifest.kind === "map") return { manifest, path };
    throw errorAt("config.invalid", manifest.origin, "the manifest of a plugin must be a map of keys");
  }
  return null;
}

async function readJson(path: string, shown: Parts["shown"], readers: Readers): Promise<ConfigNode | null> {
  const text = await readers.readText(path);
  return text === null ? null : parseDocument(text, shown(path));
}

/** The folders or files that a key of the manifest names, in addition to the usual one. None leads out of the plugin. */
function placesOf({ folder, manifest, origin }: Parts, key: string, usual: string): readonly string[] {
  const node = nodeAt(manifest, key);
  const nodes = node?.kind === "list" ? node.items : node === undefined ? [] : [node];
  const named = nodes.flatMap((one) => (one.kind === "scalar" && typeof one.value === "string" ? [one.value] : []));
  const places = [usual, ...named].map((place) => normalize(place));
  const outside = places.find((place) => isAbsolute(place) || place.split(/[/\\]/).includes(".."));
  if (outside !== undefined)
    throw errorAt(
      "config.invalid",
      node?.origin ?? origin,
      `${key} names ${JSON.stringify(outside)}, which is outside the plugin`,
    );
  return [...new Set(places.map((place) => join(folder, place)))];
}

async function readAgents(parts: Parts): Promise<ConfigNode | null> {
  const { readers, shown, origin } = parts;
  const files = await listMarkdown(placesOf(parts, "agents", "agents"), readers);
  const agents = await Promise.all(files.map(async (path) => (await readAgentFile(path, shown(path), readers)).node));
  return agents.length === 0 ? null : listNode(agents, origin);
}

/** Markdown files that are named, or in named folders; a README describes its folder. */
async function listMarkdown(places: readonly string[], readers: Readers): Promise<readonly string[]> {
  const listed = await Promise.all(
    places.map(async (place) => {
      if (place.endsWith(".md")) return [place];
      return (await readers.listFolder(place).catch(() => [])).map((name) => join(place, name));
    }),
  );
  return listed.flat().filter((path) => path.endsWith(".md") && !/readme\.md$/i.test(path));
}

async function readSkills(parts: Parts): Promise<ConfigNode | null> {
  const { readers, origin } = parts;
  const folders = placesOf(parts, "skills", "skills");
  const filled = await Promise.all(folders.map(async (place) => (await readers.listFolder(place)).length > 0));
  const nodes = folders.filter((_, at) => filled[at]).map((place) => scalarNode(place, origin));
  return nodes.length === 0 ? null : listNode(nodes, origin);
}

/** Keys without a meaning here are left out, as in other products' files. */
async function readServers(parts: Parts): Promise<ConfigNode | null> {
  const given = await readOwnOrFile(parts, "mcpServers", ".mcp.json");
  const servers = given.flatMap((node) => {
    const inner = nodeAt(node, "mcpServers") ?? node;
    return inner.kind === "map" ? [...inner.entries] : [];
  });
  if (servers.length === 0) return null;
  const kept = servers.map(([name, server]): [string, ConfigNode] => {
    if (server.kind !== "map") return [name, server];
    const known = [...server.entries].filter(([key]) => fieldOf(serverShape, key) !== undefined);
    return [name, mapTexts(mapNode(known, server.origin), withRoot(parts.folder))];
  });
  return mapNode(kept, parts.origin);
}

async function readHooks(parts: Parts, notices: Notice[]): Promise<ConfigNode | null> {
  const given = await readOwnOrFile(parts, "hooks", join("hooks", "hooks.json"));
  const read = given.flatMap((node) => {
    const whole = nodeAt(node, "hooks") === undefined ? mapNode([["hooks", node]], node.origin) : node;
    const hooks = isNull(nodeAt(whole, "version")) ? toClaudeHooks(whole, notices) : toCopilotHooks(whole, notices);
    return hooks?.kind === "map" ? [...hooks.entries] : [];
  });
  const byEvent = new Map<string, ConfigNode[]>();
  for (const [event, hooks] of read)
    byEvent.set(event, [...(byEvent.get(event) ?? []), ...(hooks.kind === "list" ? hooks.items : [])]);
  if (byEvent.size === 0) return null;
  const found = [...byEvent].map(([event, hooks]): [string, ConfigNode] => {
    const placed = hooks.map((hook) => placeHook(hook, parts.folder));
    return [event, listNode(placed, parts.origin)];
  });
  return mapNode(found, parts.origin);
}

/** A shell finds the plugin's folder in a variable; a program without one finds it in its arguments. */
function placeHook(hook: ConfigNode, folder: string): ConfigNode {
  if (hook.kind !== "map") return hook;
  const env = nodeAt(hook, "env");
  const own = ["CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT"].map((name) => [name, scalarNode(folder, hook.origin)] as const);
  const more = mapNode([...(env?.kind === "map" ? env.entries : []), ...own], hook.origin);
  const isDirect = nodeAt(hook, "args") !== undefined;
  const placed = isDirect ? mapTexts(hook, withRoot(folder)) : hook;
  return placed.kind === "map" ? mapNode([...placed.entries, ["env", more]], hook.origin) : hook;
}

/** What the manifest itself holds under a key, and the content of the files that it names or of the usual ones. */
async function readOwnOrFile(parts: Parts, key: string, usual: string): Promise<readonly ConfigNode[]> {
  const { manifest, readers, shown } = parts;
  const own = nodeAt(manifest, key);
  const files = await Promise.all(placesOf(parts, key, usual).map((path) => readJson(path, shown, readers)));
  return [...(own?.kind === "map" ? [own] : []), ...files.filter((node) => node !== null)];
}
