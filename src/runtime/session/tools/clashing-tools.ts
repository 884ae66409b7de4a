import type { Catalog, CatalogOptions } from "../../../core/catalog/catalog.ts";
import type { NamedSet } from "../../../core/catalog/named-set.ts";
import { buildOverriddenCatalog, type ToolOverride } from "../../../core/catalog/override-tools.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { isRegistered, OWNER_KINDS, type Tool } from "../../../core/tool/tool.ts";

interface Wanted {
  readonly tools: readonly Tool[];
  readonly overrides: readonly ToolOverride[];
  readonly options: CatalogOptions & { readonly sets?: readonly NamedSet[] };
  /** Whether a tool with a built-in's name may be left out; otherwise it is the error `tool.name-conflict`. */
  readonly mayLeaveOut: (tool: Tool) => boolean;
}

interface BuiltCatalog {
  readonly catalog: Catalog;
  readonly notices: readonly Notice[];
  readonly leftOut: readonly Tool[];
}

/**
 * A catalog without the external tools that take a built-in's name and do not say so (N5): such a tool costs itself,
 * because its owner must not be able to hold back what all others list and what a person changes (C4, E1).
 */
export function buildWithoutClashes({ tools, overrides, options, mayLeaveOut }: Wanted): BuiltCatalog {
  const leftOut: Tool[] = [];
  const told: Notice[] = [];
  for (;;) {
    const rest = leftOut.length === 0 ? tools : tools.filter((tool) => !leftOut.includes(tool));
    try {
      const { catalog, notices } = buildOverriddenCatalog(rest, overrides, options);
      return { catalog, notices: [...told, ...notices], leftOut };
    } catch (error) {
      if (!isToolcribError(error) || error.code !== "tool.name-conflict") throw error;
      const clashing = findClashing(rest, error.names);
      if (clashing === undefined || !mayLeaveOut(clashing)) throw error;
      leftOut.push(clashing);
      told.push({
        level: "warning",
        code: "session.refresh-failed",
        text: `${error.message}; until then it is left out`,
        names: error.names,
        origin: error.origin ?? { kind: "definition", of: clashing.name },
      });
    }
  }
}

/** The one that the catalog came upon first: hosts before connections before extensions (N6). */
function findClashing(tools: readonly Tool[], names: readonly string[]): Tool | undefined {
  const rank = ({ owner }: Tool): number => (owner === null ? -1 : OWNER_KINDS.indexOf(owner.kind));
  return tools
    .filter((tool) => isRegistered(tool) && names.includes(tool.name) && !tool.overridesBuiltInTool)
    .sort((left, right) => rank(left) - rank(right))[0];
}
