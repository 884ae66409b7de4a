import type { Tool } from "../../../core/tool/tool.ts";
import type { Placement, Toolset } from "../../../core/toolset/toolset.ts";
import type { Source } from "../../../sources/source.ts";
import { createRequest, type Request } from "../../requests/request.ts";

/** Programs and skills name what they want; that a model would have to search for it first is not their affair (D6). */
export function directRequest(toolset: () => Toolset, sourceOf: (tool: Tool) => Source | undefined): Request {
  const request = lookedUp(createRequest(toolset(), toolset, sourceOf), () => true, sourceOf);
  return {
    ...request,
    find(name) {
      const found = request.find(name);
      if (found.kind === "unknown") {
        const meant = request.toolset.scene.resolver.resolve(name);
        return meant.kind === "pending" ? { ...found, server: meant.server } : found;
      }
      return found;
    },
  };
}

/** The request in which those deferred tools that were looked up can be called as if they were loaded, and no others. */
export function lookedUp(
  request: Request,
  isFound: (placement: Placement) => boolean,
  sourceOf: (tool: Tool) => Source | undefined,
): Request {
  return {
    ...request,
    find(name) {
      const found = request.find(name);
      if ((found.kind !== "deferred" && found.kind !== "found") || found.placement.standing !== "deferred")
        return found;
      const { placement } = found;
      if (!isFound(placement)) return { kind: "deferred", placement };
      const { tool } = placement.entry;
      const source = sourceOf(tool);
      return source === undefined ? { kind: "tool_gone" } : { kind: "found", placement, tool, source };
    },
  };
}

/** Any name that means one tool; anything else is left for the call to refuse. */
export function toWireName(name: string, { scene }: Toolset): string {
  const resolution = scene.resolver.resolve(name);
  if (resolution.kind !== "found" || resolution.meaning.entries.length !== 1) return name;
  return resolution.meaning.entries[0]?.wireName ?? name;
}
