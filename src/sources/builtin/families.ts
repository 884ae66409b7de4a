import type { BuiltinFamily } from "./handler.ts";

interface FamilySpec {
  readonly tools: readonly string[];
  /** Loads the code of the family, which nobody pays for who never calls it. */
  readonly load: () => Promise<BuiltinFamily>;
}

/** Which part of the code runs which built-in tool. */
export const FAMILIES: readonly FamilySpec[] = [
  {
    tools: ["bash", "read_bash", "write_bash", "stop_bash", "list_bash", "validate"],
    load: async () => (await import("./shell/shell-family.ts")).createShellFamily(),
  },
  {
    tools: ["view", "view_image", "create", "edit", "apply_patch"],
    load: async () => (await import("./files/file-family.ts")).createFileFamily(),
  },
  {
    tools: ["glob", "grep"],
    load: async () => (await import("./search/search-family.ts")).createSearchFamily(),
  },
  {
    tools: ["web_fetch"],
    load: async () => (await import("./web/web-family.ts")).createWebFamily(),
  },
  {
    tools: [
      "think",
      "store_memory",
      "recall_memory",
      "todo",
      "skill",
      "ask_user",
      "task_complete",
      "exit_plan_mode",
      "docs",
    ],
    load: async () => (await import("./session/session-family.ts")).createSessionFamily(),
  },
];
