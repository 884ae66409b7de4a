import { type Disk, NODE_DISK } from "../../../system/paths/disk.ts";
import type { BuiltinFamily } from "../parts/handler.ts";
import { applyPatch } from "./apply-patch.ts";
import { create, foreseeCreate } from "./create.ts";
import { edit } from "./edit.ts";
import { editor } from "./editor.ts";
import { toHandler } from "./file-handler.ts";
import { view } from "./view.ts";
import { viewImage } from "./view-image.ts";

/** The tools that read and change files. They keep no state between calls. */
export function createFileFamily(disk: Disk = NODE_DISK): BuiltinFamily {
  const tools = {
    view,
    view_image: viewImage,
    create,
    edit,
    apply_patch: applyPatch,
    str_replace_based_edit_tool: editor,
  };
  return {
    handlers: new Map(Object.entries(tools).map(([name, tool]) => [name, toHandler(disk, tool)])),
    foresights: new Map([["create", toHandler(disk, foreseeCreate)]]),
    close: async () => {},
  };
}
