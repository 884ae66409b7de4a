import type { Toolset } from "./toolset.ts";

/** What a model reads about one tool, before a dialect shapes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

const NO_PARAMETERS = { type: "object", properties: {} };

/** The visible tools in payload order; the leading built-ins are the part that a provider can cache. */
export function toDefinitions({ placements }: Pick<Toolset, "placements">): readonly ToolDefinition[] {
  return placements
    .filter(({ standing }) => standing === "visible")
    .map(({ entry: { wireName, tool } }) => ({
      name: wireName,
      description: tool.description,
      inputSchema: tool.inputSchema ?? NO_PARAMETERS,
    }));
}
