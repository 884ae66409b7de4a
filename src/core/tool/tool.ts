import type { Origin } from "../codes/origin.ts";
import { factsOf, type SourceKind } from "./source-kinds.ts";
import { type StatedTraits, type Traits, toTraits } from "./traits.ts";

/** Who registered an external tool; an earlier kind wins a duplicate name. */
export const OWNER_KINDS = ["host", "connection", "extension"] as const;
export interface Owner {
  readonly kind: (typeof OWNER_KINDS)[number];
  readonly name: string;
}

/** Who alone gets a tool. */
export const INTERNAL_MARKS = ["dynamic-context", "top-level-incompatible", "coordinator-only"] as const;
export type InternalMark = (typeof INTERNAL_MARKS)[number];
export const DEFERRALS = ["auto", "never"] as const;
export type Deferral = (typeof DEFERRALS)[number];

/** Immutable data about one tool. It never holds the code that runs it. */
export interface Tool {
  /** As its source spells it; the wire name is the catalog's affair. */
  readonly name: string;
  readonly source: SourceKind;
  /** The MCP server that listed it, or the skill it came with. */
  readonly server: string | null;
  readonly owner: Owner | null;
  readonly id: string | null;
  readonly aliases: readonly string[];
  /** Requests that it answers, from its author or its user: only search reads them, never a model. */
  readonly examples: readonly string[];
  readonly group: string | null;
  readonly title: string | null;
  readonly description: string;
  /** Untrusted until `checkSchema` has looked at it, hence `unknown`. */
  readonly inputSchema: unknown;
  /** What its results look like, where its source says so; nobody here relies on it. */
  readonly outputSchema: unknown;
  /** Its source claims that it destroys nothing; nobody here relies on it, and a change of mind is a change. */
  readonly harmless: boolean;
  /** Everything that its source claims of it, as written; nobody here relies on it, and a change of mind is a change. */
  readonly annotations: unknown;
  readonly traits: Traits;
  /** Needs that must be met: host facts or model capabilities. */
  readonly requires: readonly string[];
  readonly variant: string | null;
  readonly feature: string | null;
  /** The setting that put it behind that flag, where its own definition did not. */
  readonly featureAt: Origin | null;
  readonly defer: Deferral;
  readonly internal: InternalMark | null;
  readonly overridesBuiltInTool: boolean;
  readonly skipPermission: boolean;
  /** Once it succeeds, the run is over and the model is not asked again. */
  readonly isTerminal: boolean;
  /** How a model should use a built-in; becomes a prompt section while the tool is visible. */
  readonly instructions: string | null;
  /** Milliseconds a call may take, where the tool or its configuration says so. */
  readonly timeout: number | null;
  /** The wire name that `toolOverrides` asks for, in place of the one made from server and name. */
  readonly rename: string | null;
  /** The definition as its source gave it, where `toolOverrides` changed it; signatures and trust look at this one. */
  readonly original: Tool | null;
}

export type ToolFields = Partial<Omit<Tool, "traits">> & {
  readonly name: string;
  readonly traits?: StatedTraits | null;
};

/** Most tools have none of most things, and catalogs hold many tools. */
const NONE: readonly never[] = Object.freeze([]);

/** A whole tool from the fields that differ from the defaults. */
export function toTool(fields: ToolFields): Tool {
  return {
    name: fields.name,
    source: fields.source ?? "builtin",
    server: fields.server ?? null,
    owner: fields.owner ?? null,
    id: fields.id ?? null,
    aliases: fields.aliases ?? NONE,
    examples: fields.examples ?? NONE,
    group: fields.group ?? null,
    title: fields.title ?? null,
    description: fields.description ?? "",
    inputSchema: fields.inputSchema ?? null,
    outputSchema: fields.outputSchema ?? null,
    harmless: fields.harmless ?? false,
    annotations: fields.annotations ?? null,
    traits: toTraits(fields.traits),
    requires: fields.requires ?? NONE,
    variant: fields.variant ?? null,
    feature: fields.feature ?? null,
    featureAt: fields.featureAt ?? null,
    defer: fields.defer ?? "auto",
    internal: fields.internal ?? null,
    overridesBuiltInTool: fields.overridesBuiltInTool ?? false,
    skipPermission: fields.skipPermission ?? false,
    isTerminal: fields.isTerminal ?? false,
    instructions: fields.instructions ?? null,
    timeout: fields.timeout ?? null,
    rename: fields.rename ?? null,
    original: fields.original ?? null,
  };
}

/** Tools that ship with Toolcrib. */
export function isBuiltin({ source }: Pick<Tool, "source">): boolean {
  return factsOf(source).ships === true;
}

/** Tools that a server lists, whose name stands in front of theirs. */
export function isServed({ source }: Pick<Tool, "source">): boolean {
  return factsOf(source).served !== undefined;
}

/** The server that lists a tool; null where none does. A skill's tools have another kind of `server`. */
export function serverOf(tool: Pick<Tool, "source" | "server">): string | null {
  return isServed(tool) ? tool.server : null;
}

/** Tools that the program around a session, or whoever is connected to it, registers. */
export function isRegistered({ source }: Pick<Tool, "source">): boolean {
  return factsOf(source).registered === true;
}

/** A built-in, or what openly takes its place; whatever else has such a name is another tool. */
export function standsForBuiltin(tool: Pick<Tool, "source" | "overridesBuiltInTool">): boolean {
  return isBuiltin(tool) || (isRegistered(tool) && tool.overridesBuiltInTool);
}

/** Defined in the code of the program that runs the session: not by a module, an extension or a connection. */
export function isOfHost(tool: Pick<Tool, "source" | "owner">): boolean {
  return isRegistered(tool) && tool.owner?.kind === "host";
}

/** Tools whose text nobody on this machine wrote: MCP servers and extensions. */
export function isUntrusted({ source, owner }: Pick<Tool, "source" | "owner">): boolean {
  return factsOf(source).foreign === true || owner?.kind === "extension";
}

/** Tools whose wording is looked at: theirs, and what a connection registers. Built-in, module and host text is trusted. */
export function isScanned(tool: Tool): boolean {
  return isUntrusted(tool) || tool.owner?.kind === "connection";
}

/** Who brings a tool, for people: `built-in`, `server github`, `connection ide`. */
export function describeSource({ source, server, owner }: Pick<Tool, "source" | "server" | "owner">): string {
  if (isBuiltin({ source })) return "built-in";
  if (isServed({ source })) return `server ${server}`;
  return owner === null ? source : `${owner.kind} ${owner.name}`;
}
