import { fileURLToPath } from "node:url";
import type { BuiltinFamily } from "../handler.ts";
import { askUser, exitPlanMode, skill, taskComplete, think } from "./conversation-tools.ts";
import { createDocs } from "./docs.ts";
import { recallMemory, storeMemory } from "./memory-tools.ts";
import { todo } from "./todo.ts";

/** As deep in `src` as in the built package. */
const PACKAGE_FOLDER = fileURLToPath(new URL("../../../../", import.meta.url));

/** The tools about the conversation itself. What they keep lies with the host. */
export function createSessionFamily(docsFolder: string = PACKAGE_FOLDER): BuiltinFamily {
  return {
    handlers: new Map([
      ["think", think],
      ["store_memory", storeMemory],
      ["recall_memory", recallMemory],
      ["todo", todo],
      ["skill", skill],
      ["ask_user", askUser],
      ["task_complete", taskComplete],
      ["exit_plan_mode", exitPlanMode],
      ["docs", createDocs(docsFolder)],
    ]),
    close: async () => {},
  };
}
