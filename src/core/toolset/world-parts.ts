import { hash } from "node:crypto";
import { buildCatalog, type Catalog } from "../catalog/catalog.ts";
import { SEARCH_TOOL } from "../catalog/search-tool.ts";
import type { WireStyle } from "../catalog/wire-name.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import { findOff } from "../gates/builtins.ts";
import { DEFAULT_SCENE } from "../scene/default-scene.ts";
import type { Promotions, Scene } from "../scene/scene.ts";
import type { Tool } from "../tool/tool.ts";
import { buildToolset } from "./build-toolset.ts";
import type { Toolset } from "./toolset.ts";

/**
 * The world of one request in parts, each stored under its hash: definitions, the list, the scene with its origins,
 * loaded tools, prompt text. What stays the same between requests is stored once (S9).
 */
export interface WorldParts {
  /** Hash of the part that names all others. */
  readonly hash: string;
  readonly parts: ReadonlyMap<string, string>;
}

interface Root {
  readonly format: number;
  readonly list: string;
  readonly scene: string;
  readonly promoted: string;
  readonly told: string;
}

interface ToolList {
  readonly style: WireStyle;
  /** Hashes of definitions. */
  readonly tools: readonly string[];
  /** Names issued in the session, so that each tool gets its own again. */
  readonly names: readonly (readonly [string, string])[];
  readonly losers: readonly (readonly [string, string])[];
}

const FORMAT = 1;

/** Splits worlds into parts; a tool or a scene seen before costs nothing. */
export function createWorldSplitter(withoutSecrets: (scene: Scene) => Scene): (toolset: Toolset) => WorldParts {
  const definitions = new WeakMap<Tool, readonly [string, string]>();
  const definitionOf = (tool: Tool): readonly [string, string] => {
    const known = definitions.get(tool) ?? toPart(JSON.stringify(tool));
    definitions.set(tool, known);
    return known;
  };
  return ({ catalog, scene, notices, leftOut = [] }) => {
    const { lists: _lists, resolver: _resolver, promoted, ...facts } = scene;
    const tools = toolsOf(catalog).map(definitionOf);
    const list = toPart(JSON.stringify(toList(catalog, tools)));
    const { promoted: _promoted, ...told } = withoutSecrets({ ...facts, promoted });
    const kept = {
      scene: toPart(write(told)),
      promoted: toPart(write(promoted)),
      told: toPart(write({ notices, leftOut })),
    };
    const named = { scene: kept.scene[0], promoted: kept.promoted[0], told: kept.told[0] };
    const root = toPart(JSON.stringify({ format: FORMAT, list: list[0], ...named } satisfies Root));
    return { hash: root[0], parts: new Map([...tools, list, ...Object.values(kept), root]) };
  };
}

/** Reassembles a world; throws `world.invalid` if a part is missing or another version wrote it. */
export async function readWorldParts(
  hashOfRoot: string,
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<Toolset> {
  const root: Root = JSON.parse(await loadOne(hashOfRoot, load));
  if (root.format !== FORMAT)
    throw new ToolcribError("world.invalid", "this world was kept by another version of Toolcrib, which can read it");
  const parts = await load([root.list, root.scene, root.promoted, root.told]);
  const list: ToolList = JSON.parse(found(parts, root.list));
  const facts = read(found(parts, root.scene)) as Partial<Scene>; // Written by `createWorldSplitter`.
  const promoted = read(found(parts, root.promoted)) as Promotions; // As above.
  const told = read(found(parts, root.told)) as Pick<Toolset, "notices" | "leftOut">; // As above.
  const definitions = await load(list.tools);
  const tools = list.tools.map((one): Tool => JSON.parse(found(definitions, one)));
  const scene: Scene = { ...DEFAULT_SCENE, ...facts, promoted };
  const issued = { old: new Map(list.names), recent: new Map<string, string>(), losers: new Map(list.losers) };
  const options = { style: list.style, servers: scene.servers.keys(), isOff: findOff(scene) };
  const names = { ...buildCatalog([], options), issued };
  return { ...buildToolset(buildCatalog(tools, { ...options, previous: names }), scene), ...told };
}

/** All parts of a world that exist. */
export async function partsOfWorld(
  hashOfRoot: string,
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const first = await load([hashOfRoot]);
  const { list, scene, promoted, told }: Partial<Root> = JSON.parse(first.get(hashOfRoot) ?? "{}");
  const second = await load([list, scene, promoted, told].filter((one) => one !== undefined));
  const { tools = [] }: Partial<ToolList> = JSON.parse(second.get(list ?? "") ?? "{}");
  return new Map([...first, ...second, ...(await load(tools))]);
}

function toolsOf({ entries, search }: Catalog): readonly Tool[] {
  const tools = entries.map(({ tool }) => tool);
  return search.tool === SEARCH_TOOL ? tools : [...tools, search.tool];
}

function toList({ style, issued }: Catalog, tools: readonly (readonly [string, string])[]): ToolList {
  const names = [...issued.old, ...issued.recent];
  return { style, tools: tools.map(([one]) => one), names, losers: [...issued.losers] };
}

function toPart(text: string): readonly [string, string] {
  return [hash("sha256", text), text];
}

async function loadOne(one: string, load: Parameters<typeof readWorldParts>[1]): Promise<string> {
  return found(await load([one]), one);
}

function found(parts: ReadonlyMap<string, string>, one: string): string {
  const text = parts.get(one);
  if (text === undefined) throw new ToolcribError("world.invalid", "a part of this world is missing in the store");
  return text;
}

/** A scene has maps and sets, which JSON lacks. */
function write(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part instanceof Map) return { [MAP]: [...part] };
    return part instanceof Set ? { [SET]: [...part] } : part;
  });
}

function read(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    if (MAP in part) return new Map(part[MAP] as [unknown, unknown][]); // Written by `write`.
    return SET in part ? new Set(part[SET] as unknown[]) : part; // As above.
  });
}

const MAP = "$map";
const SET = "$set";
