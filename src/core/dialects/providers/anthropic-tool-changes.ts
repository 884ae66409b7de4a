import type { AnthropicTool } from "./anthropic-tool.ts";

/** The header that lets a request carry tool changes. */
export const TOOL_CHANGES_BETA = "mid-conversation-tool-changes-2026-07-01";

interface AnthropicToolChange {
  type: "tool_addition" | "tool_removal";
  tool: { type: "tool_reference"; name: string };
}

/** Follows the user's message or the results, and stays there in every later request. */
export interface AnthropicChangeMessage {
  role: "system";
  content: AnthropicToolChange[];
}

/** The tools a conversation began with, and what its model may use as of the last request. */
export interface Declared {
  /** Loaded from the start; stays byte-identical for the whole conversation. */
  readonly first: readonly AnthropicTool[];
  /** Declared later, or withdrawn: the provider withholds them unless a message in the history offers them. */
  readonly later: ReadonlyMap<string, AnthropicTool>;
  readonly offered: ReadonlySet<string>;
}

export interface Changed {
  readonly declared: Declared;
  readonly tools: AnthropicTool[];
  readonly changes: AnthropicChangeMessage[];
}

/**
 * Adds and withdraws tools by messages in the history instead of a new tool list, so that the provider's prompt cache
 * stays valid. `loaded` names the deferred tools that a search has loaded. Null when an initial tool changed under the
 * same name: that needs a new list and a new conversation prefix.
 */
export function changeTools(
  before: Declared | null,
  shown: readonly AnthropicTool[],
  deferred: readonly AnthropicTool[],
  loaded: ReadonlySet<string>,
): Changed | null {
  const offered = new Set(shown.map(({ name }) => name));
  if (before === null)
    return { declared: { first: shown, later: new Map(), offered }, tools: [...shown, ...deferred], changes: [] };

  const first = new Map(before.first.map((tool) => [tool.name, tool]));
  const later = new Map(before.later);
  for (const tool of shown) {
    const known = first.get(tool.name);
    if (known === undefined) later.set(tool.name, toKeptBack(tool));
    else if (toText(known) !== toText(tool)) return null;
  }
  // A withdrawn tool must be offered again, even if a search result refers to it.
  for (const name of loaded) if (first.has(name)) offered.add(name);
  const held = new Set(deferred.map(({ name }) => name));
  const content = [
    ...[...before.offered].filter((name) => !offered.has(name)).map((name) => toChange("tool_removal", name)),
    ...[...offered].filter((name) => !before.offered.has(name)).map((name) => toChange("tool_addition", name)),
  ];
  const declared = { first: before.first, later, offered };
  return {
    declared,
    tools: [
      ...before.first,
      ...[...later.values()].filter(({ name }) => !held.has(name)),
      ...deferred.filter(({ name }) => !first.has(name)),
    ],
    changes: content.length === 0 ? [] : [{ role: "system", content }],
  };
}

function toChange(type: AnthropicToolChange["type"], name: string): AnthropicToolChange {
  return { type, tool: { type: "tool_reference", name } };
}

/** A withheld tool must not carry a cache mark. */
export function toKeptBack({ cache_control: _mark, ...tool }: AnthropicTool): AnthropicTool {
  return { ...tool, defer_loading: true };
}

function toText({ cache_control: _mark, ...tool }: AnthropicTool): string {
  return JSON.stringify(tool);
}
