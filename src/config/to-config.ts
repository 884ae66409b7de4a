import { nameList } from "../core/codes/origin.ts";
import type { Limit } from "../core/scene/scene.ts";
import type { ConfigNode, MapNode } from "../core/shape/node.ts";
import { readShape } from "../core/shape/read.ts";
import type { Surroundings } from "../core/shape/shape.ts";
import type { Settings } from "./config.ts";
import { fileShape } from "./shape/file-shape.ts";
import { readNames } from "./shape/read-node.ts";

/** The merged values in the types that the rest of the product works with. */
export function toConfig(root: MapNode, around: Surroundings): Settings {
  const {
    $schema: _schema,
    availableTools: _available,
    excludedTools: _excluded,
    mcpServers: servers,
    ...rest
  } = readShape(root, fileShape, around);
  return { ...rest, servers };
}

/** Include lists of managed policy that hold beside `includeTools`. */
export function toLimits(lists: readonly ConfigNode[]): readonly Limit[] {
  return lists.map((list) => ({ include: readNames(list), exclude: nameList([], list.origin), by: "policy" }));
}
