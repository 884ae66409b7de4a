import type { NamedSet } from "../../core/catalog/named-set.ts";
import { nameList } from "../../core/codes/origin.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { FILE_TOOLS } from "./definitions/files.ts";
import { SESSION_TOOLS } from "./definitions/session.ts";
import { SHELL_TOOLS } from "./definitions/shell.ts";

/** What the built-in tools are, apart from the code that runs them. */
export const BUILTIN_TOOLS: readonly Tool[] = [...SHELL_TOOLS, ...FILE_TOOLS, ...SESSION_TOOLS];

const SHELL = ["bash", "read_bash", "write_bash", "stop_bash", "list_bash"];

/** Named sets by task, and Claude's family names, which are sets and so never ambiguous with a tool's alias (I6). */
const MEMBERS = {
  read: ["view", "view_image"],
  edit: ["create", "edit", "apply_patch"],
  execute: [...SHELL, "validate"],
  search: ["glob", "grep"],
  web: ["web_fetch"],
  memory: ["store_memory", "recall_memory"],
  agent: ["skill", "todo", "think"],
  Read: ["view", "view_image"],
  Edit: ["edit", "apply_patch", "create"],
  MultiEdit: ["edit"],
  Write: ["create"],
  Bash: SHELL,
  BashOutput: ["read_bash"],
  KillShell: ["stop_bash"],
  Glob: ["glob"],
  Grep: ["grep"],
  LS: ["view"],
  WebFetch: ["web_fetch"],
  TodoWrite: ["todo"],
  Skill: ["skill"],
  AskUserQuestion: ["ask_user"],
  ExitPlanMode: ["exit_plan_mode"],
} as const satisfies Record<string, readonly string[]>;

export const BUILTIN_SETS: readonly NamedSet[] = Object.entries(MEMBERS).map(([name, members]) => ({
  id: `toolset:${name}`,
  name,
  members: nameList(members.map((member) => `builtin:${member}`)),
}));
