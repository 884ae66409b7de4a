import type { ToolResult } from "../../core/call/tool-result.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { type ImportModule, importModule, type LoadedModuleTool, loadModuleTool } from "../module/load-module-tool.ts";
import { failure } from "../parts/results.ts";
import { runHandler } from "../parts/run-handler.ts";
import type { RunContext } from "../source.ts";
import { runCommand, type SkillHost } from "./run-command.ts";
import type { LoadedSkill, SkillTool } from "./skill.ts";

export type CallMcp = (
  server: string,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  context: RunContext,
) => Promise<ToolResult>;

export interface SkillRunnerOptions {
  readonly host: SkillHost;
  readonly callMcp: CallMcp | null;
  readonly load: ImportModule;
}

/** Runs tools of skills. A module is loaded once, on the first call of its tool. */
export interface SkillRunner {
  run(
    skill: LoadedSkill,
    entry: SkillTool,
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    context: RunContext,
  ): Promise<ToolResult>;
}

export function createSkillRunner({ host, callMcp, load }: SkillRunnerOptions): SkillRunner {
  const modules = new Map<string, Promise<LoadedModuleTool>>();
  const loadOnce = (skill: LoadedSkill, entry: SkillTool, use: string): Promise<LoadedModuleTool> => {
    const key = JSON.stringify([skill.folder, use]);
    const module = modules.get(key) ?? loadTool(skill, entry, use, load);
    modules.set(key, module);
    return module;
  };
  return {
    async run(skill, entry, tool, args, context) {
      // Checked again, because a file may change between trusting and running it, and between two runs.
      const refusal = (await entry.refuses?.()) ?? null;
      if (refusal !== null) return failure(`The tool ${refusal}.`);
      switch (entry.run.kind) {
        case "command":
          return runCommand({ argv: entry.run.argv, folder: skill.folder, input: args, host, signal: context.signal });
        case "use": {
          const { defined, notices } = await loadOnce(skill, entry, entry.run.use);
          if (defined !== null) return runHandler(defined, tool, args, context);
          return failure("The tool could not be loaded.", notices[0]?.text ?? "its module holds no tool");
        }
        case "mcp":
          if (callMcp === null) return failure("There are no MCP servers here, and this tool needs one.");
          return callMcp(entry.run.server, entry.run.tool, args, context);
      }
    },
  };
}

/** What is wrong with the modules that skills use, before anything runs: for `toolcrib doctor`. It loads them. */
export async function checkSkillModules(
  skills: readonly LoadedSkill[],
  load: ImportModule = importModule,
): Promise<readonly Notice[]> {
  const checks = skills.flatMap((skill) =>
    skill.tools.flatMap((entry) => (entry.run.kind === "use" ? [loadTool(skill, entry, entry.run.use, load)] : [])),
  );
  return (await Promise.all(checks)).flatMap(({ defined, notices }) => (defined === null ? notices : []));
}

/** The skill's file names the tool; the name in the module is ignored. */
function loadTool(skill: LoadedSkill, { tool, origin }: SkillTool, use: string, load: ImportModule) {
  return loadModuleTool({ name: tool.name, group: null, use, base: skill.folder, origin }, load);
}
