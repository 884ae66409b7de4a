import { isRecord } from "../../core/shape/is-record.ts";
import type { DefinedTool } from "../../core/tool/define-tool.ts";
import { type Owner, type Tool, toTool } from "../../core/tool/tool.ts";
import { isTrait, type Traits } from "../../core/tool/traits.ts";

/** A tool as a connection or an extension registers it: data only, run by its owner. */
export interface ExternalDefinition {
  /** What models call it by. */
  readonly name: string;
  /** What the model reads to decide when and how to call the tool. */
  readonly description?: string;
  /** What people call it. */
  readonly title?: string;
  /** JSON Schema of type object. Any other schema is accepted, but the tool is hidden with a reason. */
  readonly parameters?: unknown;
  /** What it promises about its effects; what is not promised counts as the riskier value. */
  readonly traits?: Partial<Traits>;
  /** Its group, for `toolGroups`. */
  readonly group?: string;
  /** Other names that lists can use for it. */
  readonly aliases?: readonly string[];
  /** Example requests that it answers, so that a search finds it. */
  readonly examples?: readonly string[];
  /** Whether it may wait behind `tool_search`; `auto` if absent. */
  readonly defer?: "auto" | "never";
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** It openly replaces the built-in tool of its name. */
  readonly overridesBuiltInTool?: boolean;
  /** Its calls run without asking anybody, unless a rule says otherwise; extensions cannot set this. */
  readonly skipPermission?: boolean;
  /** Once it succeeds, the run is over: the model is not asked again. */
  readonly isTerminal?: boolean;
  /** A tool with a handler is made with `defineTool`; next to plain data nobody would call it. */
  readonly handler?: never;
}

/** Reads a definition from outside, field by field; null if it is none. Fields of the wrong type are left out. */
export function readDefinition(value: unknown, owner: Owner): Tool | null {
  if (!isRecord(value) || typeof value.name !== "string") return null;
  const { name, description, title, group, timeout } = value;
  return toTool({
    name,
    source: "external",
    owner,
    description: typeof description === "string" ? description : "",
    title: typeof title === "string" ? title : null,
    inputSchema: copyOf(value.parameters),
    traits: readTraits(value.traits),
    group: typeof group === "string" ? group : null,
    aliases: readTexts(value.aliases),
    examples: readTexts(value.examples),
    defer: value.defer === "never" ? "never" : "auto",
    timeout: typeof timeout === "number" && timeout > 0 ? timeout : null,
    overridesBuiltInTool: value.overridesBuiltInTool === true,
    // An extension cannot decide by itself that people need not be asked (X2).
    skipPermission: value.skipPermission === true && owner.kind !== "extension",
    isTerminal: value.isTerminal === true && owner.kind !== "extension",
  });
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

/**
 * A copy, so that nobody changes a definition after it was signed. A schema that JSON cannot express is left for
 * inspection.
 */
function copyOf(schema: unknown): unknown {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(schema ?? null));
    return copy;
  } catch {
    return schema;
  }
}

/** A promise that is missing or unclear counts as the riskier value. */
export function readTraits(value: unknown): Partial<Traits> | null {
  if (!isRecord(value)) return null;
  return Object.fromEntries(Object.entries(value).filter(([trait, stated]) => isTrait(trait, stated)));
}

/** Judged by shape: the tool may come from another copy of this package. */
export function isDefined(value: unknown): value is DefinedTool {
  return (
    isRecord(value) &&
    typeof value.handler === "function" &&
    isRecord(value.tool) &&
    typeof value.tool.name === "string"
  );
}
