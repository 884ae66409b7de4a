import { relative, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import type { OutsideProgram } from "../../system/sandbox/named-files.ts";

/** What the configuration runs outside the sandbox: hooks, servers, extensions, agents of other programs, modules. */
export function findOutsidePrograms(config: Config, workspace: string): readonly OutsideProgram[] {
  const { hooks, servers, extensions, agents, tools } = config;
  const perAgent = [...agents.values()];
  const started = [...servers.values(), ...perAgent.flatMap((agent) => [...agent.servers.values()])];
  const processes = [
    ...started.flatMap(({ enabled, transport }) => (enabled.value && transport.type === "stdio" ? [transport] : [])),
    ...extensions,
    ...perAgent.flatMap(({ acp }) => acp ?? []),
  ];
  return [
    ...[...hooks.values()].flat().map(({ command, args, cwd }) => {
      const folder = resolve(workspace, cwd ?? ".");
      return { folder, words: [command, ...(args ?? [])].map((word) => inProject(word, relative(folder, workspace))) };
    }),
    ...processes.map(({ command, args, cwd }) => ({ words: [command, ...args], folder: cwd ?? workspace })),
    ...tools.map(({ use, base }) => ({ words: [use.replace(/:[^:]+$/, "")], folder: base })),
  ];
}

/** Hooks find the project by a variable. */
function inProject(word: string, way: string): string {
  return word.replaceAll(/"?\$\{?(?:CLAUDE|TOOLCRIB)_PROJECT_DIR\}?"?/g, () => `./${way}`);
}
