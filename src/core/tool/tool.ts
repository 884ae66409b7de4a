import type { Origin } from "../codes/origin.ts";
import { factsOf, type SourceKind } from "./source-kinds.ts";
import { type StatedTraits, type Traits, toTraits } from "./traits.ts";

/** Who registered an external tool; an earlier kind wins a duplicate name. */
export const OWNER_KINDS = ["host", "connection", "extension"] as const;
export interface Owner {
  readonly kind: (typeof OWNER_KINDS)[number];
  readonly name: string;
}

/** The marks that restrict a tool to some agents. */
export const INTERNAL_MARKS = ["dynamic-context", "top-level-incompatible", "coordinator-only"] as const;
export type InternalMark = (typeof INTERNAL_MARKS)[number];
export const DEFERRALS = ["auto", "never"] as const;
export type Deferral = (typeof DEFERRALS)[number];

/** Immutable data about one tool. It never holds the code that runs it. */
export interface Tool {
  /** As its source spells it; the catalog assigns the wire name. */
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
  /** Untrusted until `checkSchema` has checked it, hence `unknown`. */
  readonly inputSchema: unknown;
  /** The shape of its results, if its source declares one; not relied on. */
  readonly outputSchema: unknown;
  /** Its source claims that it destroys nothing. Not relied on, but a changed claim is a change. */
  readonly harmless: boolean;
  /** All claims of its source, as written. Not relied on, but a changed claim is a change. */
  readonly annotations: unknown;
  readonly traits: Traits;
  /** Needs that must be met: host facts or model capabilities. */
  readonly requires: readonly string[];
  readonly variant: string | null;
  readonly feature: string | null;
  /** The setting that put it behind that flag, if not its own definition. */
  readonly featureAt: Origin | null;
  readonly defer: Deferral;
  readonly internal: InternalMark | null;
  readonly overridesBuiltInTool: boolean;
  readonly skipPermission: boolean;
  /** A successful call ends the run: the model is not asked again. */
  readonly isTerminal: boolean;
  /** How a model should use a built-in; becomes a prompt section while the tool is visible. */
  readonly instructions: string | null;
  /** Timeout of a call in milliseconds, if the tool or its configuration sets one. */
  readonly timeout: number | null;
  /** The wire name that `toolOverrides` assigns, replacing the one made from server and name. */
  readonly rename: string | null;
  /** The definition as its source gave it, if `toolOverrides` changed it; signatures and trust use this one. */
  readonly original: Tool | null;
}

export type ToolFields = Partial<Omit<Tool, "traits">> & {
  readonly name: string;
  readonly traits?: StatedTraits | null;
};

/** Shared, because most tools have empty lists and catalogs hold many tools. */
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

/** Tools that a server lists; its name precedes theirs. */
export function isServed({ source }: Pick<Tool, "source">): boolean {
  return factsOf(source).served !== undefined;
}

/** The server that lists a tool; null if none does. For a skill's tool, `server` means the skill. */
export function serverOf(tool: Pick<Tool, "source" | "server">): string | null {
  return isServed(tool) ? tool.server : null;
}

/** Tools registered by the host program or a connection. */
export function isRegistered({ source }: Pick<Tool, "source">): boolean {
  return factsOf(source).registered === true;
}

/** A built-in, or what openly replaces it; any other tool of that name does not count. */
export function standsForBuiltin(tool: Pick<Tool, "source" | "overridesBuiltInTool">): boolean {
  return isBuiltin(tool) || (isRegistered(tool) && tool.overridesBuiltInTool);
}

/** Defined in the host program's own code: not by a module, an extension or a connection. */
export function isOfHost(tool: Pick<Tool, "source" | "owner">): boolean {
  return isRegistered(tool) && tool.owner?.kind === "host";
}

/** Tools whose text was written elsewhere: MCP servers and extensions. */
export function isUntrusted({ source, owner }: Pick<Tool, "source" | "owner">): boolean {
  return factsOf(source).foreign === true || owner?.kind === "extension";
}

/** Tools whose wording is scanned: untrusted ones and those of a connection. Other text is trusted. */
export function isScanned(tool: Tool): boolean {
  return isUntrusted(tool) || tool.owner?.kind === "connection";
}

/** Who provides a tool, for people: `built-in`, `server github`, `connection ide`. */
export function describeSource({ source, server, owner }: Pick<Tool, "source" | "server" | "owner">): string {
  if (isBuiltin({ source })) return "built-in";
  if (isServed({ source })) return `server ${server}`;
  return owner === null ? source : `${owner.kind} ${owner.name}`;
}
