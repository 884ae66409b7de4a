import type { DefinedTool } from "../../core/tool/define-tool.ts";
import { type Owner, type Tool, toTool } from "../../core/tool/tool.ts";
import { findListed } from "../parts/find-tool.ts";
import { keepTools } from "../parts/keep-tools.ts";
import { type ExternalDefinition, isDefined, readDefinition } from "../parts/read-definition.ts";
import { byOwnerKind, ownerKey } from "./owner.ts";

/** With a handler it runs in this process; without one its owner is asked and answers later. */
export type ExternalTool = DefinedTool | ExternalDefinition;

export interface Registration {
  /** Whether the list changed. */
  readonly changed: boolean;
  /** Indexes of entries that are not tools. */
  readonly skipped: readonly number[];
}

type Runner = Pick<DefinedTool, "handler" | "parse" | "coerce">;

interface Registered {
  readonly owner: Owner;
  readonly tools: readonly Tool[];
  /** For tools that run in this process. */
  readonly runners: ReadonlyMap<Tool, Runner>;
}

/** The tools of all owners, as one list. */
export interface RegisteredTools {
  readonly all: readonly Tool[];
  replace(owner: Owner, given: readonly ExternalTool[]): Registration;
  /** A tool as its owner registered it; null if it did not. */
  find(tool: Tool): { readonly owner: Owner; readonly found: Tool; readonly runner: Runner | undefined } | null;
  clear(): void;
}

export function createRegisteredTools(): RegisteredTools {
  const owners = new Map<string, Registered>();
  let all: readonly Tool[] = [];
  return {
    get all() {
      return all;
    },
    replace(owner, given) {
      const key = ownerKey(owner);
      const before = owners.get(key)?.tools ?? [];
      const read = given.map((entry) => readTool(entry, owner));
      const entries = read.filter((entry) => entry !== null);
      const tools = keepTools(
        before,
        entries.map(({ tool }) => tool),
      );
      const runners = new Map(
        entries.flatMap(({ runner }, at) => {
          const tool = tools[at];
          return runner === null || tool === undefined ? [] : [[tool, runner] as const];
        }),
      );
      if (tools.length === 0) owners.delete(key);
      else owners.set(key, { owner, tools, runners });
      const changed = tools !== before && tools.length + before.length > 0;
      if (changed) all = inOrder(owners.values()).flatMap((registered) => registered.tools);
      return { changed, skipped: read.flatMap((entry, at) => (entry === null ? [at] : [])) };
    },
    find(tool) {
      const registered = tool.owner === null ? undefined : owners.get(ownerKey(tool.owner));
      const found = findListed(registered?.tools ?? [], tool);
      if (registered === undefined || found === null) return null;
      return { owner: registered.owner, found, runner: registered.runners.get(found) };
    },
    clear() {
      owners.clear();
      all = [];
    },
  };
}

function inOrder(registered: Iterable<Registered>): readonly Registered[] {
  return [...registered].sort((left, right) => byOwnerKind(left.owner, right.owner));
}

function readTool(entry: unknown, owner: Owner): { tool: Tool; runner: Runner | null } | null {
  if (!isDefined(entry)) {
    const tool = readDefinition(entry, owner);
    return tool === null ? null : { tool, runner: null };
  }
  const { tool, handler, parse, coerce } = entry;
  const runner = { handler, ...(parse === undefined ? {} : { parse }), ...(coerce === undefined ? {} : { coerce }) };
  // It may come from another copy of this package, with other fields.
  return { tool: toTool({ ...tool, source: "external", owner }), runner };
}
