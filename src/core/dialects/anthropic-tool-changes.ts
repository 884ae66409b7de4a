import type { AnthropicTool } from "./anthropic-tool.ts";

/** The header that lets a request carry tool changes. */
export const TOOL_CHANGES_BETA = "mid-conversation-tool-changes-2026-07-01";

interface AnthropicToolChange {
  type: "tool_addition" | "tool_removal";
  tool: { type: "tool_reference"; name: string };
}

/** Goes behind the user's message or the results it follows, and stays there in every later request. */
export interface AnthropicChangeMessage {
  role: "system";
  content: AnthropicToolChange[];
}

/** What a conversation began with, and what its model may use as of the last request. */
export interface Declared {
  /** Loaded from the start; not a byte of it changes while the conversation lasts. */
  readonly first: readonly AnthropicTool[];
  /** Declared later, or withdrawn: kept back by the provider unless a message in the history says otherwise. */
  readonly later: ReadonlyMap<string, AnthropicTool>;
  readonly offered: ReadonlySet<string>;
}

export interface Changed {
  readonly declared: Declared;
  readonly tools: AnthropicTool[];
  readonly changes: AnthropicChangeMessage[];
}

/**
 * Tools come and go by messages in the history in place of another list of tools, so that the provider's cache of all
 * that was sent before holds. `loaded` are those of the deferred that a search has loaded. Null when a tool that was there from the start is another one now under the same name:
 * that takes a new list, and a new beginning.
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
  // What was withdrawn needs to be offered again, whatever a search's result refers to.
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

/** A tool that is kept back may carry no cache mark. */
export function toKeptBack({ cache_control: _mark, ...tool }: AnthropicTool): AnthropicTool {
  return { ...tool, defer_loading: true };
}

function toText({ cache_control: _mark, ...tool }: AnthropicTool): string {
  return JSON.stringify(tool);
}
