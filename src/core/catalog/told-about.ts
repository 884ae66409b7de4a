import { remember } from "../shape/remember.ts";
import type { Tool } from "../tool/tool.ts";
import { toIdentity } from "./wire-name.ts";

/** With or without the server: `files.read_file`. */
const NAME = /(?<![\w/.-])(?:([A-Za-z][\w-]{1,80})(?:[./:]|__))?([A-Za-z][A-Za-z0-9_-]{2,80})(?![\w/])/g;
/** At least two words joined, which does not happen by chance in a sentence. */
const DISTINCT = /[A-Za-z0-9][_-][A-Za-z0-9]|[a-z0-9][A-Z]/;
/** Wording that puts a tool before, after or in place of another; merely calling a tool useful is harmless. */
const DIRECTS =
  /\b(?:instead|rather than|in place of|before|after|when(?:ever)?|each time|every time|always|never|do not|don't|must|should|needs|has to|have to|replaced|superseded|obsolete|broken|out of order|passed)\b/i;
/** Every name that could be meant contains one of these. */
const MAYBE = /[A-Za-z0-9][_\-./:][A-Za-z0-9]|[a-z0-9][A-Z]/;
const MAX_READ = 20_000;
const MAX_NAMES = 200;

/** By tool name as written, or by `server/name`: the sentence that gives orders about it. */
export type Told = ReadonlyMap<string, string>;

/** A tool of another server that a definition gives orders about, and the sentence that does. */
export interface ToldAbout {
  readonly identity: string;
  readonly sentence: string;
}

const NOTHING: Told = new Map();

interface Speaker {
  readonly tool: Tool;
  readonly remarks: { readonly told: Told } | null;
}

/** For each tool that gives orders about tools of others, the first of these. */
export function findToldAbout(candidates: readonly Speaker[]): ReadonlyMap<Tool, ToldAbout> {
  const speaking = candidates.filter(({ remarks }) => remarks !== null && remarks.told.size > 0);
  if (speaking.length === 0) return NOBODY;
  const owners = findNamed(candidates, new Set(speaking.flatMap(({ remarks }) => [...(remarks?.told.keys() ?? [])])));
  const found = new Map<Tool, ToldAbout>();
  for (const { tool, remarks } of speaking) {
    for (const [name, sentence] of remarks?.told ?? NOTHING) {
      const named = owners.get(name);
      if (named === undefined || named.some((other) => isOfSame(other, tool))) continue;
      const [other] = named;
      if (other !== undefined) found.set(tool, { identity: toIdentity(other), sentence });
      break;
    }
  }
  return found;
}

const NOBODY: ReadonlyMap<Tool, ToldAbout> = new Map();

/** The tools that some names could mean. */
function findNamed(candidates: readonly Speaker[], names: ReadonlySet<string>): ReadonlyMap<string, readonly Tool[]> {
  const owners = new Map<string, Tool[]>();
  // Few tools are meant, and only these need their full name put together.
  const bare = new Set([...names, ...[...names].map((name) => name.slice(name.indexOf("/") + 1))]);
  const add = (name: string, tool: Tool): void => {
    if (!names.has(name)) return;
    const named = owners.get(name);
    if (named === undefined) owners.set(name, [tool]);
    else named.push(tool);
  };
  for (const { tool } of candidates) {
    if (!bare.has(tool.name)) continue;
    add(tool.name, tool);
    if (tool.server !== null) add(`${tool.server}/${tool.name}`, tool);
  }
  return owners;
}

function isOfSame(one: Tool, other: Tool): boolean {
  return one.source === other.source && one.server === other.server && one.owner?.name === other.owner?.name;
}

/** The orders that a description gives about tools, by tool name. Only what may hold one is remembered. */
export function readTold(tool: Tool): Told {
  return MAYBE.test(tool.description.slice(0, MAX_READ)) ? readOrders(tool) : NOTHING;
}

const readOrders = remember((tool: Tool): Told => readSentences(tool.description.slice(0, MAX_READ)));

function readSentences(text: string): Told {
  const told = new Map<string, string>();
  for (const sentence of text.split(/(?<=[.!?])\s+|\n{2,}/)) {
    if (!DIRECTS.test(sentence)) continue;
    for (const [, server, name = ""] of sentence.matchAll(NAME)) {
      const key = server === undefined ? name : `${server}/${name}`;
      if ((server !== undefined || DISTINCT.test(name)) && told.size < MAX_NAMES && !told.has(key))
        told.set(key, sentence.slice(0, 400));
    }
  }
  return told;
}
