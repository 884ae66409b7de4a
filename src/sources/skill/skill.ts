import type { NameList, Origin } from "../../core/codes/origin.ts";
import type { Tool } from "../../core/tool/tool.ts";

/** How a tool of a skill is run: a command that gets its input as JSON, a module, or a tool of an MCP server. */
export type SkillRun =
  | { readonly kind: "command"; readonly argv: readonly string[] }
  | { readonly kind: "use"; readonly use: string }
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string };

export interface SkillTool {
  readonly tool: Tool;
  readonly run: SkillRun;
  /** The file that defines it; absolute. */
  readonly file: string;
  readonly origin: Origin;
  /** Why it may not run now, as a clause; null if it may. */
  readonly refuses?: () => Promise<string | null>;
}

/** A skill as its folder describes it. */
export interface LoadedSkill {
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string;
  readonly version: string | null;
  readonly author: string | null;
  /** Its real path; absolute. */
  readonly folder: string;
  /** The file that leads it: `SKILL.md`, or `skill.json` where there is none; absolute. */
  readonly file: string;
  readonly origin: Origin;
  /** `SKILL.md` skills are inactive until they are invoked, `skill.json` skills are active at once (G11). */
  readonly activation: "on-invoke" | "on-load";
  /** Null: it declares nothing, so it restricts nothing. */
  readonly allowedTools: NameList | null;
  readonly prompt: string | null;
  readonly tools: readonly SkillTool[];
  /** Tools that wait until somebody trusts what they run. */
  readonly waiting: readonly SkillTool[];
}
