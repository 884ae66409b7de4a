import { payloadFor } from "../../core/dialects/dialects.ts";
import { joinSections } from "../../core/dialects/join-sections.ts";
import { findBehind } from "../../core/toolset/loadable.ts";
import { toPromptSections } from "../../core/toolset/prompt-sections.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { Request } from "../../runtime/session/request.ts";
import { CALL_TOOL, toCallTool } from "./call-through.ts";

/** What clients are shown of one toolset, and the look-up of the calls that follow from it (E1). Lists are written once. */
export interface Offer {
  readonly request: Request;
  /** The tools for a client with a session: they grow by what it searches for. */
  readonly growing: string;
  /** The tools for clients without one: no call changes them, and what is deferred is called through one that stays. */
  readonly stable: string;
  /** The name under which stateless clients call deferred tools; null while nothing is deferred. */
  readonly callThrough: string | null;
  readonly instructions: string | undefined;
  /** The wire name behind a name that was shown. */
  toWireName(shown: string): string;
}

export function buildOffer(request: Request, unprefixed: string | null): Offer {
  const { toolset } = request;
  const shown = unprefixed === null ? NO_NAMES : shortenNames(toolset, unprefixed);
  const wireNames = new Map([...shown].map(([wire, short]) => [short, wire]));
  const lazy = once(() => write(toolset, shown));
  const behind = once(() => findBehind(toolset));
  const through = once(() => {
    const { deferred, loaded, searchable } = behind();
    return searchable && deferred.length + loaded.length > 0 ? freeName(toolset) : null;
  });
  return {
    request,
    get growing() {
      return lazy().growing;
    },
    get stable() {
      return lazy().stable(through());
    },
    get callThrough() {
      return through();
    },
    get instructions() {
      return joinSections(toPromptSections(toolset, { listLoaded: true }));
    },
    toWireName: (name) => wireNames.get(name) ?? name,
  };
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const LEGAL = /^[A-Za-z0-9_.-]{1,128}$/;

/** One server's tools under their own names, where no other tool has that name. */
function shortenNames({ placements }: Toolset, server: string): ReadonlyMap<string, string> {
  const taken = new Set(placements.map(({ entry }) => entry.wireName));
  const names = new Map<string, string>();
  for (const { entry, standing } of placements) {
    const { tool, wireName } = entry;
    const own = (tool.original ?? tool).name;
    if (tool.source !== "mcp" || tool.server !== server || tool.rename !== null || standing === "hidden") continue;
    if (!LEGAL.test(own) || taken.has(own)) continue;
    taken.add(own);
    names.set(wireName, own);
  }
  return names;
}

function write(toolset: Toolset, shown: ReadonlyMap<string, string>) {
  const { tools } = payloadFor("mcp", toolset);
  const named = tools.map((tool) => ({ ...tool, name: shown.get(tool.name) ?? tool.name }));
  const loaded = new Set(findBehind(toolset).loaded.map(({ entry }) => entry.wireName));
  const texts = named.map((tool) => JSON.stringify(tool));
  let stable: string | null = null;
  return {
    growing: `[${texts.join()}]`,
    stable(callThrough: string | null) {
      const kept = texts.filter((_, at) => !loaded.has(tools[at]?.name ?? ""));
      stable ??= `[${[...kept, ...(callThrough === null ? [] : [JSON.stringify(toCallTool(callThrough))])].join()}]`;
      return stable;
    },
  };
}

function freeName({ placements }: Toolset): string {
  const taken = new Set(placements.map(({ entry }) => entry.wireName));
  let name = CALL_TOOL;
  for (let at = 2; taken.has(name); at += 1) name = `${CALL_TOOL}_${at}`;
  return name;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
