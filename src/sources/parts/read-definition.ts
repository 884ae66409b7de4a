import { isRecord } from "../../core/shape/is-record.ts";
import type { DefinedTool } from "../../core/tool/define-tool.ts";
import { type Owner, type Tool, toTool } from "../../core/tool/tool.ts";
import { isTrait, type Traits } from "../../core/tool/traits.ts";

/** A tool as a connection or an extension registers it: data only, run by whoever registered it. */
export interface ExternalDefinition {
  /** What models call it by. */
  readonly name: string;
  /** What the model reads to decide when and how to call the tool. */
  readonly description?: string;
  /** What people call it. */
  readonly title?: string;
  /** JSON Schema of type object. Another one is kept, and hidden with a reason. */
  readonly parameters?: unknown;
  /** What it promises about its effects; what is not said counts as the riskier value. */
  readonly traits?: Partial<Traits>;
  /** Its group, for `toolGroups`. */
  readonly group?: string;
  /** Other names that lists can call it by. */
  readonly aliases?: readonly string[];
  /** Requests that it answers, for a search to find it by. */
  readonly examples?: readonly string[];
  /** Whether it may wait behind `tool_search`; `auto` if absent. */
  readonly defer?: "auto" | "never";
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** It openly replaces the built-in tool of its name. */
  readonly overridesBuiltInTool?: boolean;
  /** Its calls run without anybody being asked, unless a rule says otherwise; extensions cannot say so. */
  readonly skipPermission?: boolean;
  /** Once it succeeds, the run is over: the model is not asked again. */
  readonly isTerminal?: boolean;
  /** What has a handler is made with `defineTool`; beside the data nobody would call it. */
  readonly handler?: never;
}

/** A definition that came from outside, field by field; null when it is none. Fields of the wrong type are left out. */
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
    // Nobody's extension says by itself that people need not be asked (X2).
    skipPermission: value.skipPermission === true && owner.kind !== "extension",
    isTerminal: value.isTerminal === true && owner.kind !== "extension",
  });
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

/** A copy, so that nobody changes a definition after it was signed; what JSON cannot say is left for inspection. */
function copyOf(schema: unknown): unknown {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(schema ?? null));
    return copy;
  } catch {
    return schema;
  }
}

/** What is not promised, or not clearly, is the riskier value. */
export function readTraits(value: unknown): Partial<Traits> | null {
  if (!isRecord(value)) return null;
  return Object.fromEntries(Object.entries(value).filter(([trait, stated]) => isTrait(trait, stated)));
}

/** By shape: it may come from another copy of this package. */
export function isDefined(value: unknown): value is DefinedTool {
  return (
    isRecord(value) &&
    typeof value.handler === "function" &&
    isRecord(value.tool) &&
    typeof value.tool.name === "string"
  );
}
