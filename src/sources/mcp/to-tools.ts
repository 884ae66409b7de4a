import { isRecord } from "../../core/shape/is-record.ts";
import { type Deferral, type Tool, toTool } from "../../core/tool/tool.ts";
import type { Traits } from "../../core/tool/traits.ts";
import { keepTools } from "../parts/keep-tools.ts";

/** What the configuration says about all tools of a server. */
export interface ServerTraits {
  readonly server: string;
  readonly group: string | null;
  readonly defer: Deferral;
  readonly timeout: number | null;
}

export interface ToolReading {
  readonly tools: readonly Tool[];
  /** What the server sent for each of them. */
  readonly definitions: readonly Readonly<Record<string, unknown>>[];
  /** Entries that are no tools at all. */
  readonly skipped: number;
}

/**
 * The tools of a list as a server sent it. One whose definition did not change is the same object as before, and so is
 * a list in which nothing did, so that whatever was worked out about them still holds.
 */
export function toTools(raw: readonly unknown[], about: ServerTraits, previous: readonly Tool[]): ToolReading {
  const definitions = raw.filter(isDefinition);
  const tools = definitions.map((entry) => readTool(entry, about));
  return { tools: keepTools(previous, tools), definitions, skipped: raw.length - tools.length };
}

type Definition = Record<string, unknown> & { readonly name: string };

function isDefinition(entry: unknown): entry is Definition {
  return isRecord(entry) && typeof entry.name === "string";
}

function readTool(entry: Definition, { server, group, defer, timeout }: ServerTraits): Tool {
  const stated = isRecord(entry.annotations) && Object.keys(entry.annotations).length > 0 ? entry.annotations : null;
  const annotations = stated ?? {};
  const title = [entry.title, annotations.title].find((text) => typeof text === "string");
  return toTool({
    name: entry.name,
    source: "mcp",
    server,
    group,
    defer,
    timeout,
    title: typeof title === "string" ? title : null,
    description: typeof entry.description === "string" ? entry.description : "",
    inputSchema: entry.inputSchema ?? null,
    outputSchema: entry.outputSchema ?? null,
    harmless: annotations.destructiveHint === false,
    annotations: stated,
    traits: toClaimedTraits(annotations),
  });
}

/** Hints are claims. What is not claimed, or not clearly, is the riskier value. */
function toClaimedTraits(hints: Readonly<Record<string, unknown>>): Partial<Traits> {
  return {
    readOnly: hints.readOnlyHint === true,
    idempotent: hints.idempotentHint === true,
    openWorld: hints.openWorldHint !== false,
  };
}
