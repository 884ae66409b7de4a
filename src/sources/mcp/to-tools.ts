import { isRecord } from "../../core/shape/is-record.ts";
import { toCanonicalJson } from "../../core/tool/canonical-json.ts";
import { toSignature } from "../../core/tool/inspect-tool.ts";
import { type Deferral, type Tool, toTool } from "../../core/tool/tool.ts";
import type { Traits } from "../../core/tool/traits.ts";
import { prepareTool } from "../../core/toolset/prepare-tool.ts";
import type { ListedEntry } from "./list-tools.ts";

/** The configured traits of all tools of a server. */
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
  /** Entries that are not tools. */
  readonly skipped: number;
}

/** The tools of a list as a server sent it. */
export function toTools(raw: readonly unknown[], about: ServerTraits): ToolReading {
  const definitions = raw.filter(isDefinition);
  const tools = definitions.map((entry) => {
    const tool = readTool(entry, about);
    noteText(tool, entry);
    return tool;
  });
  return { tools, definitions, skipped: raw.length - tools.length };
}

/** What the server sent for a tool, as JSON; absent for one that no server could have sent. */
const texts = new WeakMap<Tool, string>();

function noteText(tool: Tool, entry: Definition): void {
  try {
    texts.set(tool, JSON.stringify(entry));
  } catch {
    // Nested too deep to be serialised, so it never equals another one.
  }
}

/**
 * The same, tool by tool. A tool whose definition did not change stays the same object, and so does a list in which
 * nothing changed, so that everything computed about them stays valid; for the others it is computed here.
 */
export function* readTools(
  listed: readonly ListedEntry[],
  about: ServerTraits,
  previous: readonly Tool[],
): Generator<void, ToolReading, void> {
  const sent = yield* stack(previous, (tool) => texts.get(tool) ?? "");
  const kept = new Map<ListedEntry, Tool>();
  for (const one of listed) {
    const tool = sent.get(one.text)?.pop();
    if (tool !== undefined) kept.set(one, tool);
  }
  // Some servers send the same list in another order each time.
  const meant = yield* stack([...sent.values()].flat(), keyOf);
  const tools: Tool[] = [];
  const definitions: Definition[] = [];
  for (const one of listed) {
    const { entry, text } = one;
    if (!isDefinition(entry)) continue;
    const read = kept.get(one) ?? readTool(entry, about);
    const tool = kept.has(one) ? read : (meant.get(keyOf(read))?.pop() ?? read);
    yield* prepareTool(tool);
    texts.set(tool, text);
    tools.push(tool);
    definitions.push(entry);
  }
  const same = tools.length === previous.length && tools.every((tool, at) => tool === previous[at]);
  return { tools: same ? previous : tools, definitions, skipped: listed.length - tools.length };
}

/** Tools by a text that distinguishes them, the first one on top. */
function* stack(tools: readonly Tool[], textOf: (tool: Tool) => string): Generator<void, Map<string, Tool[]>, void> {
  const stacked = new Map<string, Tool[]>();
  for (const tool of tools.toReversed()) {
    const text = textOf(tool);
    const same = stacked.get(text);
    if (same === undefined) stacked.set(text, [tool]);
    else same.push(tool);
    yield;
  }
  return stacked;
}

/** Everything that the server says about a tool: its signature leaves out only the annotations. */
function keyOf(tool: Tool): string {
  return `${toSignature(tool)} ${toCanonicalJson(tool.annotations).text}`;
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
