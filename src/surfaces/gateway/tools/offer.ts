import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { payloadFor } from "../../../core/dialects/dialects.ts";
import { joinSections } from "../../../core/dialects/tools/join-sections.ts";
import { factsOf } from "../../../core/tool/source-kinds.ts";
import { serverOf, type Tool } from "../../../core/tool/tool.ts";
import { findBehind } from "../../../core/toolset/loadable.ts";
import { toPromptSections } from "../../../core/toolset/prompt-sections.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { Request } from "../../../runtime/requests/request.ts";
import type { Era } from "../../../sources/peer.ts";
import { peerOf } from "../servers/peer-servers.ts";
import { isObject } from "../wire/json-rpc.ts";
import { CALL_TOOL, toCallTool } from "./call-through.ts";
import { LOG_IN_TOOL, toLogInTool } from "./log-in-tool.ts";
import { type OutputSchema, type ToolPromise, toOutputSchema } from "./output-schema.ts";

/**
 * What clients are shown of one toolset, and the look-up of the calls that follow from it (E1). Lists are serialised
 * once.
 */
export interface Offer {
  readonly request: Request;
  /** The tools for a client with a session: they grow by what it searches for. */
  readonly growing: string;
  /**
   * The same for a client that does not ask again: what it finds, and what comes later, is called through a fixed tool.
   */
  readonly lasting: string;
  /**
   * The tools for clients without a session: no call changes them, and deferred tools are called through a fixed one.
   */
  readonly stable: string;
  /** The tool through which clients with a fixed list call other tools; null while there are none. */
  readonly callThrough: string | null;
  /** The tool that logs a person in, and the servers that need it before they list anything; null if there are none. */
  readonly logIn: LogIn | null;
  readonly instructions: string | undefined;
  /** The wire name for a name that was shown. */
  toWireName(shown: string): string;
  /** The closest names that are shown. */
  nearest(name: string): readonly string[];
  /** The output schema of a tool; null if none. */
  promiseOf(wireName: string): ToolPromise | null;
  /** Whether a tool may be called as a task, which its server decides. */
  takesTasks(wireName: string): boolean;
}

interface LogIn {
  readonly name: string;
  readonly servers: readonly string[];
}

/** `loginless`: servers that list nothing before the person has logged in there. */
export function buildOffer(request: Request, unprefixed: string | null, loginless: readonly string[] = []): Offer {
  const { toolset } = request;
  const logIn = loginless.length === 0 ? null : { name: freeName(toolset, LOG_IN_TOOL), servers: loginless };
  const fixed = logIn === null ? [] : [JSON.stringify(toLogInTool(logIn.name, logIn.servers))];
  const shown = unprefixed === null ? NO_NAMES : shortenNames(toolset, unprefixed);
  const wireNames = new Map([...shown].map(([wire, short]) => [short, wire]));
  const takesTasks = (name: string): boolean => {
    const found = request.find(name);
    const definition = found.kind === "found" ? (peerOf(found.source)?.definitionOf(found.tool) ?? {}) : {};
    return isObject(definition.execution) && TASK_SUPPORT.includes(definition.execution.taskSupport);
  };
  const promises = once(() => findPromises(toolset));
  const wording = () => ({ shown, promises: promises(), takesTasks });
  const growing = once(() => share(`[${[...write("legacy", toolset, wording()), ...fixed].join()}]`));
  const behind = once(() => findBehind(toolset));
  const through = once(() => {
    const { deferred, loaded, searchable } = behind();
    const isNeeded = deferred.length + loaded.length > 0 || toolset.scene.client?.late === true;
    return searchable && isNeeded ? freeName(toolset, CALL_TOOL) : null;
  });
  const writeStaying = (era: Era): string => {
    const loaded = new Set(behind().loaded.map(({ entry }) => entry.wireName));
    const staying = write(era, toolset, wording(), (name) => !loaded.has(name));
    const callThrough = through();
    return share(
      `[${[...staying, ...fixed, ...(callThrough === null ? [] : [JSON.stringify(toCallTool(callThrough))])].join()}]`,
    );
  };
  const stable = once(() => writeStaying("modern"));
  const lasting = once(() => writeStaying("legacy"));
  return {
    request,
    logIn,
    get growing() {
      return growing();
    },
    get lasting() {
      return lasting();
    },
    get stable() {
      return stable();
    },
    get callThrough() {
      return through();
    },
    get instructions() {
      return joinSections(toPromptSections(toolset, { listLoaded: true }));
    },
    toWireName: (name) => wireNames.get(name) ?? name,
    nearest: (name) => nearestNames(name, permittedNames(toolset, shown)),
    promiseOf: (name) => promises().get(name) ?? null,
    takesTasks,
  };
}

const TASK_SUPPORT: readonly unknown[] = ["optional", "required"];
/** Even if a server requires tasks, because then the call to it is made as one. */
const EXECUTION = { taskSupport: "optional" };
const NO_NAMES: ReadonlyMap<string, string> = new Map();
const LEGAL = /^[A-Za-z0-9_.-]{1,128}$/;

/** One server's tools under their own names, unless another tool has that name. */
function shortenNames({ placements }: Toolset, server: string): ReadonlyMap<string, string> {
  const taken = new Set(placements.map(({ entry }) => entry.wireName));
  const names = new Map<string, string>();
  for (const { entry, standing } of placements) {
    const { tool, wireName } = entry;
    const own = (tool.original ?? tool).name;
    if (serverOf(tool) !== server || tool.rename !== null || standing === "hidden") continue;
    if (!LEGAL.test(own) || taken.has(own)) continue;
    taken.add(own);
    names.set(wireName, own);
  }
  return names;
}

/** What a client may know about, deferred or not. */
function permittedNames({ placements }: Toolset, shown: ReadonlyMap<string, string>): readonly string[] {
  const permitted = placements.filter(({ standing }) => standing !== "hidden");
  return permitted.map(({ entry: { wireName } }) => shown.get(wireName) ?? wireName);
}

type Promises = ReadonlyMap<string, ToolPromise>;

/** Tools never change, and many toolsets share them. */
const promised = new WeakMap<Tool, OutputSchema | null>();

function findPromises({ placements }: Toolset): Promises {
  const promises = new Map<string, ToolPromise>();
  for (const { entry, standing } of placements) {
    const { tool, wireName, signature } = entry;
    if (standing === "hidden" || tool.outputSchema === null) continue;
    if (factsOf(tool.source).describesResults === true) continue;
    const known = promised.get(tool);
    const schema = known === undefined ? toOutputSchema(tool.outputSchema) : known;
    if (known === undefined) promised.set(tool, schema);
    if (schema !== null) promises.set(wireName, { schema, signature, server: tool.server });
  }
  return promises;
}

interface Wording {
  readonly shown: ReadonlyMap<string, string>;
  readonly promises: Promises;
  readonly takesTasks: Offer["takesTasks"];
}

function write(
  era: Era,
  toolset: Toolset,
  { shown, promises, takesTasks }: Wording,
  isListed: (wireName: string) => boolean = () => true,
): readonly string[] {
  const { tools } = payloadFor("mcp", toolset);
  return tools
    .filter(({ name }) => isListed(name))
    .map((tool) => {
      const outputSchema = promises.get(tool.name)?.schema[era] ?? null;
      return JSON.stringify({
        ...tool,
        name: shown.get(tool.name) ?? tool.name,
        ...(outputSchema === null ? {} : { outputSchema }),
        ...(era === "legacy" && takesTasks(tool.name) ? { execution: EXECUTION } : {}),
      });
    });
}

const MOST_SHARED = 16;
const shared: string[] = [];

/** Clients that see the same tools share one text. */
function share(written: string): string {
  const text = escapeRare(written);
  const known = shared.find((other) => other === text);
  if (known !== undefined) return known;
  shared.unshift(text);
  shared.length = Math.min(shared.length, MOST_SHARED);
  return text;
}

/**
 * A pure ASCII text is measured and sent in a fraction of the time, so the few other characters are escaped; if there
 * are many, that would only make the list longer.
 */
function escapeRare(json: string): string {
  const escaped = json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // Otherwise the engine keeps storing it in wide characters.
  return escaped.length > 1.1 * json.length ? json : Buffer.from(escaped).toString("latin1");
}

function freeName({ placements }: Toolset, wanted: string): string {
  const taken = new Set(placements.map(({ entry }) => entry.wireName));
  let name = wanted;
  for (let at = 2; taken.has(name); at += 1) name = `${wanted}_${at}`;
  return name;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
