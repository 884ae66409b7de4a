import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readFlag, readText } from "../../core/shape/read-node.ts";
import type { Readers } from "../layers/readers.ts";
import type { AskedInput } from "./convert-references.ts";
import { findAgentFolders } from "./deerflow-agents.ts";
import { type ForeignFile, type ForeignPlaces, listForeignFiles } from "./find-foreign.ts";
import { findSkillFolders } from "./find-skills.ts";
import { importDeerFlow, isDeerFlow } from "./import-deerflow.ts";
import {
  type ImportContext,
  type ImportedServer,
  type ImportedSetting,
  importServers,
  type NotImported,
} from "./import-servers.ts";
import { importToolSets } from "./import-tool-sets.ts";
import { CWD, PRODUCTS } from "./products.ts";
import { readForeign } from "./read-foreign.ts";
import { createVariables, type Variable } from "./refer-secrets.ts";
import { loadRejected, rejectedByList, withoutStart } from "./rejected-servers.ts";

/** The content of other products' files, ready to be written into ours. */
export interface Imported {
  /** Files that were read, as the user would write them. */
  readonly files: readonly string[];
  readonly servers: readonly ImportedServer[];
  readonly settings: readonly ImportedSetting[];
  /** The environment variables that must be set for all of it to work. */
  readonly variables: readonly Variable[];
  readonly left: readonly NotImported[];
  /** The secrets of variables that were invented for them, for using the servers without writing anything. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** What our own files say already, so that nothing imported changes what it means. */
export interface KnownVariables {
  /** Variables that they refer to. */
  readonly referred: readonly string[];
  /** The person's keys for them. */
  readonly keys: ReadonlyMap<string, string>;
}

const NOTHING_KNOWN: KnownVariables = { referred: [], keys: new Map() };

/** Reads what exists, of one side or of both. An unreadable file is reported and skipped; it never blocks another. */
export async function importForeign(
  places: ForeignPlaces,
  readers: Readers,
  side: ForeignFile["side"] | "both" = "both",
  known: KnownVariables = NOTHING_KNOWN,
): Promise<Imported> {
  const left: NotImported[] = [];
  const files: string[] = [];
  const servers = new Map<string, ImportedServer>();
  const settings: ImportedSetting[] = [];
  const leave = (what: string, why: string, origin: Origin) => void left.push({ what, why, origin });
  const read: { readonly foreign: ForeignFile; readonly root: ConfigNode }[] = [];
  for (const foreign of await listForeignFiles(places, readers, side)) {
    const root = await load(foreign, readers, leave);
    if (root !== null && (foreign.product !== "deerflow-config" || isDeerFlow(root))) read.push({ foreign, root });
  }
  const taken = new Set([...known.referred, ...read.flatMap(({ root }) => referredNames(root))]);
  const variables = createVariables(taken, known.keys);
  const claudeHome = read.find(({ foreign }) => foreign.product === "claude-home")?.root;
  const rejected = await loadRejected(places, claudeHome, readers);
  const extensions = read.find(({ foreign }) => foreign.product === "deerflow-extensions")?.root;
  const deerFlowServers = new Set(entriesAt(extensions, "mcpServers").map(([name]) => name));
  const deerFlow = read.find(({ foreign }) => foreign.product.startsWith("deerflow"))?.foreign.product;
  const folders = deerFlow === undefined ? [] : await findAgentFolders(places, readers, leave);
  for (const { foreign, root } of read) {
    files.push(foreign.file);
    const inputs = { asked: readInputs(root), folderName: basename(places.cwd), home: places.home };
    const context: ImportContext = { product: foreign.product, inputs, variables, leave };
    noteMisplaced(root, foreign, leave);
    for (const keys of PRODUCTS[foreign.product].servers) {
      const map = nodeAt(root, ...keys.map((key) => (key === CWD ? places.cwd : key)));
      for (const server of importServers(map, context)) {
        const no = rejected(foreign.product, server.name) ?? rejectedByList(root, foreign.product, server.name);
        keep(no === null ? server : withoutStart(server, no, leave));
      }
    }
    if (foreign.product === "vscode-tool-sets") settings.push(...importToolSets(root, context));
    if (foreign.product.startsWith("deerflow"))
      settings.push(...importDeerFlow(root, deerFlowServers, foreign.product === deerFlow ? folders : [], context));
  }
  for (const folder of side === "both" ? await findSkillFolders(places, readers) : []) {
    files.push(String(folder.value));
    settings.push(folder);
  }
  for (const { name, without = [], origin } of servers.values())
    for (const tool of without) settings.push({ path: ["excludeTools"], value: `${name}/${tool}`, origin });
  // What is left out in the end needs no variables.
  const written = JSON.stringify([[...servers.values()].map(({ entry }) => entry), settings.map(({ value }) => value)]);
  return {
    files,
    servers: [...servers.values()],
    settings,
    variables: variables.all.filter(({ name }) => new RegExp(`\\$\\{${name}(?::-|\\})`).test(written)),
    left,
    secrets: variables.secrets,
  };

  function keep(server: ImportedServer): void {
    const earlier = servers.get(server.name);
    if (earlier === undefined) servers.set(server.name, server);
    else if (!isDeepStrictEqual(earlier.entry, server.entry)) {
      const why = `${formatOrigin(earlier.origin)} has another server of that name, which is taken`;
      leave(`server "${server.name}"`, why, server.origin);
    }
  }
}

async function load(
  { path, file, product }: ForeignFile,
  readers: Readers,
  leave: ImportContext["leave"],
): Promise<ConfigNode | null> {
  const whole: Origin = { kind: "file", file, line: null };
  try {
    const text = await readers.readText(path);
    if (text === null) {
      if ((await readers.exists(path)) === true) leave("the file", "it is a link that leads nowhere", whole);
      return null;
    }
    // Many programs have a file of that name, and mistakes in theirs do not concern us.
    if (product === "deerflow-config" && !/^(?:tools|tool_groups|subagents)\s*:/m.test(text)) return null;
    const root = await readForeign(text, file);
    if (root === null || root.kind === "map") return root;
    leave("the file", "it holds no settings", whole);
  } catch (error) {
    if (isToolcribError(error))
      for (const { what, origin } of error.parts.slice(0, 1))
        leave("the file", `it is not valid: ${what}`, origin ?? whole);
    else leave("the file", `it cannot be read (${error instanceof Error ? error.message : String(error)})`, whole);
  }
  return null;
}

/** A file for servers without any in the expected place: they are elsewhere, or in another shape. */
function noteMisplaced(root: ConfigNode, { product }: ForeignFile, leave: ImportContext["leave"]): void {
  const { isForServers = false, servers } = PRODUCTS[product];
  const keys = isForServers ? servers.flat() : [];
  const [right] = keys;
  if (right === undefined || keys.some((key) => nodeAt(root, key)?.kind === "map")) return;
  const odd = keys.flatMap((key) => nodeAt(root, key) ?? [])[0];
  const other = entriesAt(root).find(([, node]) => node.kind === "map");
  if (odd !== undefined) {
    if (!isNull(odd)) leave("the file", `"${right}" must be a map of servers`, odd.origin);
  } else if (other !== undefined)
    leave("the file", `servers stand under "${right}" in it, and it has only "${other[0]}"`, other[1].origin);
}

function readInputs(root: ConfigNode): ReadonlyMap<string, AskedInput> {
  return new Map(
    itemsAt(root, "inputs").flatMap((input): readonly (readonly [string, AskedInput])[] => {
      const text = (key: string) => readText(nodeAt(input, key))?.value ?? null;
      const id = text("id");
      const stated = text("default");
      // A default with a brace in it could not be written, and a password's default is a secret.
      const isPlain = stated !== null && !/[{}]/.test(stated) && readFlag(nodeAt(input, "password"))?.value !== true;
      return id === null ? [] : [[id, { about: text("description"), fallback: isPlain ? stated : null }]];
    }),
  );
}

/** Names in `${NAME}`, `${env:NAME}` and `$NAME`, anywhere. */
function referredNames(node: ConfigNode): readonly string[] {
  switch (node.kind) {
    case "map":
      return [...node.entries.values()].flatMap(referredNames);
    case "list":
      return node.items.flatMap(referredNames);
    case "scalar":
      return [...String(node.value).matchAll(/\$\{?(?:env:)?([A-Za-z_]\w*)/g)].map(([, name]) => name ?? "");
  }
}
