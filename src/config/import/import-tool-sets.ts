import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, readNames } from "../../core/shape/read-node.ts";
import type { ImportContext, ImportedSetting } from "./import-servers.ts";

/** Tool sets of VS Code, `{ name: { tools, description, icon } }`, as entries of `toolsets`. */
export function importToolSets(root: ConfigNode, { leave }: Pick<ImportContext, "leave">): readonly ImportedSetting[] {
  return entriesAt(root).flatMap(([name, node]) => {
    const tools = readNames(nodeAt(node, "tools"))?.value.flatMap(({ value }) => (value.trim() === "" ? [] : [value]));
    if (tools !== undefined) return [{ path: ["toolsets", name], value: tools, origin: node.origin }];
    leave(`tool set "${name}"`, 'it has no list of "tools"', node.origin);
    return [];
  });
}
