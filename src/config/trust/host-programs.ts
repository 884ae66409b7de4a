import { delimiter, isAbsolute, relative, resolve } from "node:path";
import type { HostProgram } from "../../system/host-programs/host-program.ts";
import type { Settings } from "../shape/file-shape.ts";
import type { HookConfig } from "../shape/hook-shape.ts";
import type { AcpConfig, ServerConfig, ServerProcess } from "../shape/server-shape.ts";

/** Where programs start, and the path they are looked for on. */
export interface ProgramPlace {
  readonly workspace: string;
  /** The variable PATH; nothing is looked for if absent. */
  readonly path?: string;
}

type Running = Pick<Settings, "hooks" | "servers" | "extensions" | "agents" | "agent" | "tools" | "skillDirectories">;

/**
 * The one list of what the configuration runs outside the sandbox. The sandbox and the file tools protect the files of
 * these programs, and trust covers them. A new kind of program is one line here.
 */
export function findHostPrograms(config: Running, place: ProgramPlace): readonly HostProgram[] {
  const { hooks, servers, extensions, agents, agent: selected, tools, skillDirectories } = config;
  return [
    ...[...hooks.values()].flat().map((hook) => hookProgram(hook, place)),
    ...[...servers.values()].flatMap((server) => serverProgram(server, place)),
    ...extensions.map((extension) => extensionProgram(extension, place)),
    ...[...agents.values()].flatMap(({ name, servers: own, hooks: ofAgent, acp, origin }) => [
      ...[...ofAgent.values()].flat().map((hook) => hookProgram(hook, place)),
      ...[...own.values()]
        .flatMap((server) => serverProgram(server, place))
        .map((program) => (selected?.value === name ? program : { ...program, isIdle: true })),
      ...(acp === null ? [] : [acpProgram(name, acp, origin, place)]),
    ]),
    ...tools.map((tool) => moduleProgram(tool)),
    ...skillDirectories.map(({ value, origin }) => ({
      ...{ what: "skill folder", name: value, origin, words: [], folder: place.workspace, folders: [value] },
    })),
    ...pathProgram(place),
  ];
}

export function hookProgram({ command, args, cwd, env, origin }: HookConfig, { workspace }: ProgramPlace): HostProgram {
  const folder = resolve(workspace, cwd ?? ".");
  const words = [command, ...(args ?? [])].map((word) => inProject(word, relative(folder, workspace)));
  return { what: "hook", name: command, origin, words, folder, env, isLine: args === null };
}

/** Empty if nothing is started. */
export function serverProgram(server: ServerConfig, { workspace }: ProgramPlace): readonly HostProgram[] {
  const { name, origin, enabled, transport, envFile } = server;
  if (!enabled.value || transport.type !== "stdio") return [];
  const file = envFile === null ? null : resolve(workspace, envFile);
  return [{ what: "server", name, origin, ...toRun(transport, workspace), envFile: file }];
}

export function extensionProgram(
  { name, origin, ...process }: Settings["extensions"][number],
  { workspace }: ProgramPlace,
): HostProgram {
  return { what: "extension", name, origin, ...toRun(process, workspace) };
}

export function acpProgram(
  name: string,
  acp: AcpConfig,
  origin: HostProgram["origin"],
  { workspace }: ProgramPlace,
): HostProgram {
  return { what: "ACP agent", name, origin, ...toRun(acp, workspace) };
}

export function moduleProgram({
  name,
  origin,
  use,
  base,
}: Pick<Settings["tools"][number], "name" | "origin" | "use" | "base">): HostProgram {
  return { what: "module tool", name, origin, words: ["import", use.replace(/:[^:]*$/, "")], folder: base };
}

/** Folders in which programs are looked for by name, by us and by those that we start. */
function pathProgram({ workspace, path = "" }: ProgramPlace): readonly HostProgram[] {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const origin = { kind: "variable", variable: "PATH" } as const;
  return [{ what: "variable", name: "PATH", origin, words: [], folder: workspace, folders }];
}

function toRun({ command, args, env, cwd }: ServerProcess, workspace: string) {
  return { words: [command, ...args], env, folder: cwd ?? workspace };
}

/** Hooks find the project by a variable. */
function inProject(word: string, way: string): string {
  return word.replaceAll(/"?\$\{?(?:CLAUDE|TOOLCRIB)_PROJECT_DIR\}?"?/g, () => `./${way}`);
}
