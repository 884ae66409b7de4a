import { type Deferral, type Tool, toTool } from "../../core/tool/tool.ts";
import type { Traits } from "../../core/tool/traits.ts";
import { keepTools } from "../parts/keep-tools.ts";
import { isRecord } from "./message.ts";

/** What the configuration says about all tools of a server. */
export interface ServerTraits {
  readonly server: string;
  readonly group: string | null;
  readonly defer: Deferral;
  readonly timeout: number | null;
}

export interface ToolReading {
  readonly tools: readonly Tool[];
  /** Entries that are no tools at all. */
  readonly skipped: number;
}

/**
 * The tools of a list as a server sent it. One whose definition did not change is the same object as before, and so is
 * a list in which nothing did, so that whatever was worked out about them still holds.
 */
export function toTools(raw: readonly unknown[], about: ServerTraits, previous: readonly Tool[]): ToolReading {
  const tools = raw.flatMap((entry) => readTool(entry, about) ?? []);
  return { tools: keepTools(previous, tools), skipped: raw.length - tools.length };
}

function readTool(entry: unknown, { server, group, defer, timeout }: ServerTraits): Tool | null {
  if (!isRecord(entry) || typeof entry.name !== "string") return null;
  const annotations = isRecord(entry.annotations) ? entry.annotations : {};
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
